// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The bytes of a change set: what a store keeps of a part that is prepared. They are a version, the change set and a
/// checksum, and are read whole or not at all.
///
/// Rows are written as the layouts of their entities say, which stand before them: bytes that were made for another
/// version of the model are refused. What a history finds in the store when it writes, the values from before, is not
/// kept: that is found when the part is finished.
///
/// ```swift
/// let bytes = try PreparedChanges.bytes(of: changes, schema)
/// let same = try PreparedChanges.changes(in: bytes, schema)
/// ```
public enum PreparedChanges {
  static let version: UInt8 = 1
  /// The most bytes that a part may have.
  public static let largestCount = 1_000_000_000

  /// Returns the bytes of a change set.
  ///
  /// - Parameters:
  ///   - changes: The change set.
  ///   - schema: What its store holds.
  ///   - largestCount: The most bytes that they may be.
  /// - Throws: `limitExceeded` for more bytes, `transformation` when a transformable value has no bytes,
  ///   `unknownEntity` for a record that the store does not hold.
  /// - Complexity: O(values of the change set).
  public static func bytes(
    of changes: StoreChangeSet, _ schema: StoreSchema, largestCount: Int = largestCount
  ) throws -> [UInt8] {
    var encoder = ChangeSetEncoder(schema, largestCount: largestCount)
    return try encoder.bytes(of: changes)
  }

  /// Returns the change set that bytes were made of.
  ///
  /// - Parameters:
  ///   - bytes: What ``bytes(of:_:largestCount:)`` has returned.
  ///   - schema: What the store holds.
  /// - Throws: `corruptStore` for other bytes, and for those of another version of the model.
  /// - Complexity: O(bytes).
  public static func changes(in bytes: [UInt8], _ schema: StoreSchema) throws -> StoreChangeSet {
    try reading(bytes, version: version) { reader in
      var decoder = ChangeSetDecoder(schema)
      return try decoder.changes(&reader)
    }
  }

  /// Reads bytes that a writer has made, to their end.
  ///
  /// - Throws: `corruptStore`.
  static func reading<Result>(
    _ bytes: [UInt8], version: UInt8, _ body: (inout HistoryReader) throws -> Result
  ) throws -> Result {
    do {
      var reader = HistoryReader(try HistoryPacking.checked(bytes))
      guard try reader.byte() == version else { throw HistoryDamage() }
      let result = try body(&reader)
      guard reader.isAtEnd else { throw HistoryDamage() }
      return result
    } catch {
      throw PersistenceError(
        .corruptStore, "What the store keeps of a save over several stores cannot be read.",
        underlying: error is HistoryDamage ? nil : error)
    }
  }
}

extension StoreChangeSet {
  /// The records that the change set writes, locks or links, in order and each once: who writes one of them stands
  /// in its way.
  public var touchedKeys: [Int64] {
    var keys = Set(inserted.map(\.key))
    keys.formUnion(updated.map(\.row.key))
    keys.formUnion(deleted.map(\.key))
    keys.formUnion(locked.map(\.key))
    for link in links {
      keys.insert(link.source)
      keys.insert(link.destination)
    }
    // Records of other stores are theirs.
    return keys.filter { $0 > 0 }.sorted()
  }
}
