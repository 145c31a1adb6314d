// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore

/// Converts rows of an entity's source version to its destination version; all slots, or some of them.
///
/// It does not compute derived values, or the values of relationships that move.
struct EntityConversion {
  let change: EntityChange
  /// The slots of the source that the conversion reads.
  let sourceSlots: RowSlots
  private let layout: RowLayout
  private let copies: [(from: RowSlot, to: RowSlot)]
  private let constants: [(slot: RowSlot, value: Value)]
  /// Slots in which every record must have a value.
  private let fills: [(from: RowSlot, to: RowSlot, value: Value)]
  private let conversions: [Conversion]
  private let references: [LostReference]

  private struct Conversion {
    var from: RowSlot
    var to: RowSlot
    var conversion: ValueConversion
    /// The value for records that have none where one is required.
    var value: Value
  }

  /// A reference slot whose targets are partly removed.
  struct LostReference {
    var from: RowSlot
    var to: RowSlot
    /// The slot with the record's position among the records that refer to the same destination.
    var position: RowSlot?
    /// The entity codes that a reference may lead to.
    var codes: Set<Int>

    func isLost(in row: Row) -> Bool {
      // The removal of this store's records does not affect references to other stores.
      row.reference(from).map { !$0.isKept(among: codes) } ?? false
    }
  }

  /// Makes a conversion.
  ///
  /// - Parameters:
  ///   - references: The reference slots whose targets are partly removed.
  ///   - wanted: The indices of the destination slots to set; nil for all.
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
            value: change.demandedValue(slot) ?? .null))
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

  /// Whether the migration changes a source record, which is read by its format.
  ///
  /// - Parameter row: A row with the ``decidingSlots``.
  func changes(_ row: Row) -> Bool {
    fills.contains { row.isNull($0.from) }
      || conversions.contains { !row.isNull($0.from) || !$0.value.isNull }
      || references.contains { $0.isLost(in: row) }
  }

  /// Whether it can change a record.
  var changesSome: Bool { !fills.isEmpty || !conversions.isEmpty || !references.isEmpty }

  /// The source slots by which ``changes(_:)`` decides.
  var decidingSlots: Set<Int> {
    Set(fills.map(\.from.index) + conversions.map(\.from.index) + references.map(\.from.index))
  }

  /// Returns the converted row.
  ///
  /// - Parameters:
  ///   - row: A row with the ``sourceSlots``.
  ///   - refused: Collects the records with a value that cannot be converted.
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
  /// Returns the source slot whose value a destination slot has in all records; nil when some values differ.
  func keptSlot(_ slot: RowSlot) -> RowSlot? {
    let isChanged = references.contains {
      $0.to.index == slot.index || $0.position?.index == slot.index
    }
    guard !isChanged else { return nil }
    return copies.first { $0.to.index == slot.index }?.from
  }

  /// Whether matching slots by name turns source rows into destination rows. An engine does this by itself when it
  /// adopts another layout.
  var isByName: Bool {
    let old = change.source.layout
    let stored = Set(layout.storedSlots.map(\.index))
    // A slot that has become transient would be filled from its stored value.
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
  /// Returns the converted value of a slot that is not nil; nil when the conversion fails.
  fileprivate func value(of row: Row, _ slot: RowSlot) -> Value? {
    switch self {
    case .integerToDouble: .double(Double(row.integer(slot)))
    case .stringToURI: ValueConversion.uri(of: row.string(slot)).map(Value.uri)
    case .uriToString: row.uri(slot).map { .string($0.absoluteString) }
    }
  }
}

/// The records that prevent a migration: the first keys, and their number.
final class RefusedRecords {
  private(set) var keys: [Int64] = []
  private(set) var count = 0

  /// The most keys that an error names.
  static let mostNamed = 100

  func insert(_ key: Int64) {
    count += 1
    if keys.count < Self.mostNamed { keys.append(key) }
  }

  /// Throws when there are any such records.
  ///
  /// - Parameter message: Makes the error message from the number of records.
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
