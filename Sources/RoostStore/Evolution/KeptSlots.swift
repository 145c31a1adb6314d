// SPDX-License-Identifier: Apache-2.0

import Foundation
package import RoostModel

/// The attributes of an entity that a migration leaves unchanged, in both versions, for the comparison before and
/// after.
package struct KeptSlots: Sendable {
  /// The code of the records.
  package let code: Int
  /// The entity's name in the new version.
  package let name: String
  /// The slots in the layout of the old version, and in the same order in that of the new one.
  package let source: [RowSlot]
  package let destination: [RowSlot]

  /// Collects the slots. Derived attributes are recomputed, and relationships can lose their destinations, so both
  /// are excluded.
  package init(_ change: EntityChange) {
    code = change.code
    name = change.destination.name ?? ""
    var source: [RowSlot] = []
    var destination: [RowSlot] = []
    for slot in change.slots {
      guard case .kept(let old) = slot.origin,
        case .attribute(let attribute, _) = change.destination.layout.contents[slot.slot.index],
        !(attribute is DerivedAttributeDescription)
      else { continue }
      source.append(old)
      destination.append(slot.slot)
    }
    self.source = source
    self.destination = destination
  }
}

/// An order-independent 64-bit checksum of records: their count and the sum of their hashes.
package struct RecordSum: Hashable, Sendable {
  package private(set) var count = 0
  private var sum: UInt64 = 0

  package init() {}

  /// Adds a record.
  ///
  /// - Parameters:
  ///   - row: The record.
  ///   - slots: The slots to include.
  package mutating func add(_ row: Row, _ slots: [RowSlot]) {
    var hash = StableHash()
    hash.mix(UInt64(bitPattern: row.key))
    for slot in slots { hash.mix(row, slot) }
    count += 1
    sum &+= hash.value
  }
}

extension StableHash {
  fileprivate mutating func mix(_ row: Row, _ slot: RowSlot) {
    guard !row.isNull(slot) else { return mix(0x6E69_6C00) }
    switch slot.kind {
    case .integer, .boolean, .reference, .position:
      mix(UInt64(bitPattern: row.integer(slot)))
    case .double, .date: mix(row.double(slot).bitPattern)
    case .string: mix(bytes: row.string(slot).utf8)
    case .data: mix(bytes: row.data(slot))
    case .uuid: withUnsafeBytes(of: row.uuid(slot).uuid) { mix(bytes: $0) }
    case .decimal: mix(bytes: row.decimal(slot).description.utf8)
    case .uri: mix(bytes: (row.uri(slot)?.absoluteString ?? "").utf8)
    case .transformable: mix(bytes: row.transformable(slot)?.encoded ?? Data())
    }
  }
}

extension PersistenceError {
  /// Returns the error of a migration whose result fails the comparison.
  package static func unverified(
    _ what: String, was before: String, is after: String, entity: String?
  ) -> PersistenceError {
    PersistenceError(
      .migration,
      "The migration was taken back, because its result was wrong: \(what), \(before) before and \(after) "
        + "after it. This is a defect of Roost or of the store's engine; the store is as it was.",
      entityName: entity)
  }
}
