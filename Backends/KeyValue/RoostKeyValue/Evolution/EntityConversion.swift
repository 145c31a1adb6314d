// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore

/// Turns the rows of an entity as it was into rows of the entity as it is to be; of all their slots, or of some.
///
/// Derived values and what relationships bring that move are not among what it knows.
struct EntityConversion {
  let change: EntityChange
  /// The slots of the source that it looks at.
  let sourceSlots: RowSlots
  private let layout: RowLayout
  private let copies: [(from: RowSlot, to: RowSlot)]
  private let constants: [(slot: RowSlot, value: Value)]
  /// Slots in which every record has to have a value.
  private let fills: [(from: RowSlot, to: RowSlot, value: Value)]
  private let conversions: [Conversion]
  private let references: [LostReference]

  private struct Conversion {
    var from: RowSlot
    var to: RowSlot
    var conversion: ValueConversion
    /// What a record without a value gets, where it must have one.
    var value: Value
  }

  /// A slot with keys of which some lead to records that go.
  struct LostReference {
    var from: RowSlot
    var to: RowSlot
    /// The slot that says where the record is among those that name the same one.
    var position: RowSlot?
    /// The codes of records that may be named.
    var codes: Set<Int>

    func isLost(in row: Row) -> Bool {
      // A record of another store goes with none of this one's.
      row.reference(from).map { !$0.isKept(among: codes) } ?? false
    }
  }

  /// Makes a conversion.
  ///
  /// - Parameters:
  ///   - references: The slots with keys of which some lead to records that go.
  ///   - wanted: The indices of the slots of the destination that are set; nil for all.
  init(_ change: EntityChange, losing references: [LostReference], only wanted: Set<Int>? = nil) {
    self.change = change
    layout = change.destination.layout
    var used: Set<Int> = []
    var copies: [(from: RowSlot, to: RowSlot)] = []
    var constants: [(slot: RowSlot, value: Value)] = []
    var fills: [(from: RowSlot, to: RowSlot, value: Value)] = []
    var conversions: [Conversion] = []
    for slot in change.slots where wanted?.contains(slot.slot.index) ?? true {
      switch slot.origin {
      case .kept(let old):
        used.insert(old.index)
        copies.append((old, slot.slot))
      case .defaulted(let old, let value):
        used.insert(old.index)
        fills.append((old, slot.slot, value))
      case .converted(let old, let conversion):
        used.insert(old.index)
        conversions.append(
          Conversion(
            from: old, to: slot.slot, conversion: conversion,
            value: Self.demanded(at: slot.slot, in: change.destination.layout)))
      case .constant(let value):
        if !value.isNull { constants.append((slot.slot, value)) }
      case .derived, .moved: break
      }
    }
    self.references = references.filter { reference in
      guard let wanted else { return true }
      return wanted.contains(reference.to.index)
        || reference.position.map { wanted.contains($0.index) } ?? false
    }
    for reference in self.references { used.insert(reference.from.index) }
    sourceSlots = .some(used)
    self.copies = copies
    self.constants = constants
    self.fills = fills
    self.conversions = conversions
  }

  /// What an attribute that is not optional has when nothing else is known.
  private static func demanded(at slot: RowSlot, in layout: RowLayout) -> Value {
    guard case .attribute(let attribute, _) = layout.contents[slot.index], !attribute.isOptional
    else { return .null }
    let value = attribute.defaultConstant
    return value.coerced(to: attribute.type) ?? value
  }

  /// Whether a record of the source, read by its format, is not what it is to be.
  ///
  /// - Parameter row: It has ``decidingSlots``.
  func changes(_ row: Row) -> Bool {
    fills.contains { row.isNull($0.from) }
      || conversions.contains { !row.isNull($0.from) || !$0.value.isNull }
      || references.contains { $0.isLost(in: row) }
  }

  /// Whether it can change a record.
  var changesSome: Bool { !fills.isEmpty || !conversions.isEmpty || !references.isEmpty }

  /// The slots of the source by which ``changes(_:)`` decides.
  var decidingSlots: Set<Int> {
    Set(fills.map(\.from.index) + conversions.map(\.from.index) + references.map(\.from.index))
  }

  /// Returns the row as it is to be.
  ///
  /// - Parameters:
  ///   - row: It has ``sourceSlots``.
  ///   - refused: Told of the records with a value that cannot be converted.
  func row(from row: Row, refused: RefusedRecords) -> Row {
    let result = Row(layout: layout, key: row.key, version: row.version)
    for (from, to) in copies { result.copyValue(at: from, of: row, to: to) }
    for (slot, value) in constants { set(value, at: slot, of: result, refused) }
    for (from, to, value) in fills {
      if row.isNull(from) {
        set(value, at: to, of: result, refused)
      } else {
        result.copyValue(at: from, of: row, to: to)
      }
    }
    for step in conversions {
      if row.isNull(step.from) {
        set(step.value, at: step.to, of: result, refused)
      } else if let value = step.conversion.value(of: row, step.from) {
        set(value, at: step.to, of: result, refused)
      } else {
        refused.insert(row.key)
      }
    }
    for reference in references where reference.isLost(in: row) {
      result.setNull(reference.to)
      if let position = reference.position { result.setNull(position) }
    }
    return result
  }

  private func set(_ value: Value, at slot: RowSlot, of row: Row, _ refused: RefusedRecords) {
    do {
      try row.setValue(value, at: slot)
    } catch {
      refused.insert(row.key)
    }
  }
}

extension EntityConversion {
  /// The slot of the source that has what a slot has, for all records; nil when some values are others.
  func keptSlot(_ slot: RowSlot) -> RowSlot? {
    let isChanged = references.contains {
      $0.to.index == slot.index || $0.position?.index == slot.index
    }
    guard !isChanged else { return nil }
    return copies.first { $0.to.index == slot.index }?.from
  }

  /// Whether rows of the source are rows of the destination when their slots are taken by their names: what an engine
  /// does by itself when it takes over another layout.
  var isByName: Bool {
    let old = change.source.layout
    let stored = Set(layout.storedSlots.map(\.index))
    // What is in memory only now would be taken from what was stored.
    guard
      layout.slots.allSatisfy({ slot in
        stored.contains(slot.index) || old.slot(named: layout.names[slot.index]) == nil
      })
    else { return false }
    return change.slots.allSatisfy { slot in
      switch slot.origin {
      case .kept(let from): old.names[from.index] == slot.name
      case .constant(.null), .moved, .derived: old.slot(named: slot.name) == nil
      case .defaulted(let from, _): old.names[from.index] == slot.name
      case .constant, .converted: false
      }
    }
  }
}

extension ValueConversion {
  /// What becomes of the value in a slot that is not nil; nil when it cannot be converted.
  fileprivate func value(of row: Row, _ slot: RowSlot) -> Value? {
    switch self {
    case .integerToDouble: .double(Double(row.integer(slot)))
    case .stringToURI: URL(string: row.string(slot)).map(Value.uri)
    case .uriToString: row.uri(slot).map { .string($0.absoluteString) }
    }
  }
}

/// The records that stand in the way of a change: the first of them, and how many there are.
final class RefusedRecords {
  private(set) var keys: [Int64] = []
  private(set) var count = 0

  /// How many are named.
  static let mostNamed = 100

  func insert(_ key: Int64) {
    count += 1
    if keys.count < Self.mostNamed { keys.append(key) }
  }

  /// Throws when there are any.
  ///
  /// - Parameter message: Says what is wrong, of so many records.
  func check(
    _ code: PersistenceError.Code, in schema: StoreSchema, _ entity: EntityDescription?,
    key: String? = nil, _ message: (Int) -> String
  ) throws {
    guard count > 0 else { return }
    throw PersistenceError(
      code, message(count), entityName: entity?.name, key: key,
      objectIDs: keys.compactMap { schema.objectID(forKey: $0) },
      store: schema.identity.identifier)
  }
}
