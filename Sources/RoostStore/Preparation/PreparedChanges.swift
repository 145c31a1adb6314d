// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The encoding of a prepared part's change set: a version, the change set and a checksum. It is read as a whole or
/// not at all.
///
/// Metadata are encoded together with the user values from which they were made (version 2), so that any process that
/// finishes the part writes what the save has changed, and nothing else.
///
/// Rows are encoded by the layouts of their entities, which precede them: bytes of another model version are refused.
/// Previous values for the history are not included, because they are read when the part is finished.
///
/// ```swift
/// let bytes = try PreparedChanges.bytes(of: changes, schema)
/// let same = try PreparedChanges.changes(in: bytes, schema)
/// ```
public enum PreparedChanges {
  static let version: UInt8 = 2
  /// The versions that can be read. The first one does not tell from what metadata were made.
  private static let versions: ClosedRange<UInt8> = 1...version
  /// The maximum size of a part in bytes.
  public static let largestCount = 1_000_000_000
  /// A smaller maximum, which tests set.
  @TaskLocal package static var limit = largestCount

  /// Returns the bytes of a change set.
  ///
  /// - Parameters:
  ///   - changes: The change set.
  ///   - schema: The schema of the store.
  ///   - largestCount: The maximum number of bytes.
  /// - Throws: `limitExceeded` for more bytes, `transformation` when a transformable value has no bytes,
  ///   `unknownEntity` for a record that the store does not hold.
  /// - Complexity: O(values of the change set).
  public static func bytes(
    of changes: StoreChangeSet, _ schema: StoreSchema, largestCount: Int = largestCount
  ) throws -> [UInt8] {
    var encoder = ChangeSetEncoder(schema, largestCount: min(largestCount, limit))
    return try encoder.bytes(of: changes)
  }

  /// Decodes a change set.
  ///
  /// - Parameters:
  ///   - bytes: The result of ``bytes(of:_:largestCount:)``.
  ///   - schema: The schema of the store.
  /// - Throws: `corruptStore` for other bytes, and for those of another version of the model.
  /// - Complexity: O(bytes).
  public static func changes(in bytes: [UInt8], _ schema: StoreSchema) throws -> StoreChangeSet {
    try reading(bytes, versions: versions) { reader, version in
      var decoder = ChangeSetDecoder(schema, version: version)
      return try decoder.changes(&reader)
    }
  }

  /// Reads bytes that a writer has made, to their end.
  ///
  /// - Throws: `corruptStore`.
  static func reading<Result>(
    _ bytes: [UInt8], versions: ClosedRange<UInt8>,
    _ body: (inout HistoryReader, UInt8) throws -> Result
  ) throws -> Result {
    do {
      var reader = try HistoryPacking.reader(of: bytes)
      let version = try reader.byte()
      guard versions.contains(version) else { throw HistoryDamage() }
      let result = try body(&reader, version)
      guard reader.isAtEnd else { throw HistoryDamage() }
      return result
    } catch {
      throw PersistenceError(
        .corruptStore, "The store's part of a save over several stores cannot be read.",
        underlying: error is HistoryDamage ? nil : error)
    }
  }
}

extension StoreChangeSet {
  /// The distinct keys of the records that the change set writes, locks or links, in order: a write to any of them
  /// conflicts with it.
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
