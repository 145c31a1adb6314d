// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// The tables of references to records of other stores: one keyed by local number, one by reference.
struct ForeignTables: Sendable {
  var numbers: EntryTable
  var references: EntryTable

  /// The signatures of the two tables in the catalog.
  static let signatures = ["foreign numbers", "foreign references"]

  init?(_ catalog: IndexCatalog) {
    guard let numbers = catalog.tables[Self.signatures[0]],
      let references = catalog.tables[Self.signatures[1]]
    else { return nil }
    self.numbers = numbers
    self.references = references
  }

  // MARK: - Bytes

  /// The entry of a number: the record's key, then the lengths and texts of store and entity.
  static func value(_ reference: ForeignReference) -> [UInt8] {
    bytes(reference.key) + bytes(Int64(reference.store.utf8.count)) + Array(reference.store.utf8)
      + Array(reference.entity.utf8)
  }

  static func reference(_ value: some Collection<UInt8>) throws -> ForeignReference {
    let bytes = Array(value)
    guard bytes.count >= 16, case let length = number(bytes[8..<16]), length >= 0,
      length <= bytes.count - 16,
      let store = String(validating: bytes[16..<16 + Int(length)], as: UTF8.self),
      let entity = String(validating: bytes[(16 + Int(length))...], as: UTF8.self)
    else { throw damage }
    return ForeignReference(store: store, key: number(bytes[0..<8]), entity: entity)
  }

  /// The key of the entry with the number of a reference.
  static func key(of reference: ForeignReference) -> [UInt8] {
    Array(reference.store.utf8) + bytes(reference.key)
  }

  static func bytes(_ number: Int64) -> [UInt8] {
    withUnsafeBytes(of: number.bigEndian) { Array($0) }
  }

  static func number(_ bytes: some Collection<UInt8>) -> Int64 {
    Int64(bitPattern: bytes.reduce(0) { $0 << 8 | UInt64($1) })
  }

  static var damage: PersistenceError {
    PersistenceError(.corruptStore, "The store's references to other stores are damaged.")
  }
}
