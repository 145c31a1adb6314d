// SPDX-License-Identifier: Apache-2.0

import CLMDB
import RoostKeyValue
import RoostModel
import RoostStore

/// The list of the tables that a store has made. Tables are made when something is first written into them, and never
/// removed: by this list it is noticed that another process has removed one.
enum MadeTables {
  static let blobName = "tables"

  /// Adds the tables of a transaction that has made some.
  static func add(_ tables: TableDirectory, _ transaction: OpaquePointer) throws {
    guard let blobs = tables.blobs else { return }
    let known = names(in: try BlobTable.read(blobName, from: blobs, transaction) ?? [])
    let text = tables.names.union(known).sorted().joined(separator: "\n")
    try BlobTable.write(Array(text.utf8), named: blobName, to: blobs, transaction)
  }

  /// Checks that all of them exist.
  ///
  /// - Throws: `persistentStoreIncompatibleSchema`.
  static func check(_ reader: LMDBSnapshot, _ schema: StoreSchema) throws {
    guard let bytes = try reader.blob(named: blobName) else { return }
    guard let missing = names(in: bytes).subtracting(reader.tables.names).min() else { return }
    let content = TableDirectory.content(of: missing) { code in
      schema.entities.first { schema.code(of: $0) == code }?.name
    }
    throw PersistenceError(
      .persistentStoreIncompatibleSchema,
      "Another program has removed \(content). Put it back from a copy of the store.")
  }

  private static func names(in bytes: [UInt8]) -> Set<String> {
    Set(bytes.split(separator: UInt8(ascii: "\n")).map { String(decoding: $0, as: UTF8.self) })
  }
}
