// SPDX-License-Identifier: Apache-2.0

import CLMDB
import Foundation
import RoostKeyValue
import RoostModel
import RoostStore

/// Creates the file of a new store: in a folder of its own, completely, and then moves it into place. A file that
/// LMDB creates itself can never be opened again when its creation is interrupted.
enum LMDBCreation {
  /// Creates a file where there is none, or an empty one. Does nothing when another process was faster.
  static func makeFile(at location: LMDBLocation, _ settings: LMDBSettings) throws {
    try location.withFolderLocked(timeout: settings.timeout) {
      if let status = try location.status(), status.size > 0 { return }
      location.removeAbandonedFolders()
      let folder = location.temporaryPath()
      guard mkdir(folder, 0o700) == 0 else { throw LMDBError.system("make a folder") }
      defer { try? FileManager.default.removeItem(atPath: folder) }
      let file = folder + "/data"
      try writeStore(file)
      // A lock file without a data file belonged to a removed store. It is removed first: other processes may open
      // the new file as soon as it is in place, and with two lock files there could be two writers at once.
      try DurableFiles.remove(location.lockPath)
      try DurableFiles.move(file, to: location.path)
      try DurableFiles.synchronizeFolder(of: location.path)
    }
  }

  /// Writes an empty store; when this returns it is on the disk.
  private static func writeStore(_ path: String) throws {
    var handle: OpaquePointer?
    try LMDBError.check(mdb_env_create(&handle), "make an environment")
    guard let environment = handle else { preconditionFailure("LMDB made no environment") }
    defer { mdb_env_close(environment) }
    try LMDBError.check(mdb_env_set_maxdbs(environment, 4), "make room for tables")
    try LMDBError.check(
      mdb_env_set_mapsize(environment, LMDBSettings.smallestSize), "reserve addresses")
    try LMDBError.check(
      mdb_env_open(environment, path, UInt32(MDB_NOSUBDIR | MDB_NOTLS), 0o600), "make the file")
    var transaction: OpaquePointer?
    try LMDBError.check(mdb_txn_begin(environment, nil, 0, &transaction), "begin to write")
    guard let transaction else { preconditionFailure("LMDB began no transaction") }
    do {
      var batch = WriteBatch()
      try KeyValueStore.write(StoreMetadata(storeType: LMDBStoreType.name), to: &batch)
      batch.setBlob(StoreFormat.current.bytes, named: StoreFormat.blobName)
      var table = MDB_dbi()
      try LMDBError.check(
        mdb_dbi_open(transaction, TableDirectory.blobsName, UInt32(MDB_CREATE), &table),
        "make a table")
      for (name, bytes) in batch.blobs {
        try BlobTable.write(bytes, named: name, to: table, transaction)
      }
    } catch {
      mdb_txn_abort(transaction)
      throw error
    }
    try LMDBError.check(mdb_txn_commit(transaction), "write the new store")
  }
}

/// The format version of a Roost file.
struct StoreFormat: Equatable {
  let version: Int

  static let blobName = FormatBlob.name
  static let current = StoreFormat(version: 1)
  /// The newest known version: that of a file that refers to records of other stores.
  static let newest = StoreFormat(version: FormatBlob.versionOfReferences)
  private static let prefix = FormatBlob.prefix

  var bytes: [UInt8] { StoreFormat.prefix + Array(String(version).utf8) }

  init(version: Int) {
    self.version = version
  }

  /// Decodes the format blob of a file.
  ///
  /// - Parameter bytes: The blob; nil when the file has none.
  /// - Throws: `persistentStoreTypeMismatch` for another program's file, `persistentStoreOpen` for a newer format.
  init(_ bytes: [UInt8]?) throws {
    guard let bytes, bytes.starts(with: StoreFormat.prefix),
      let version = Int(String(decoding: bytes.dropFirst(StoreFormat.prefix.count), as: UTF8.self)),
      version > 0
    else {
      throw PersistenceError(
        .persistentStoreTypeMismatch, "The file is an LMDB database of another program.")
    }
    guard version <= StoreFormat.newest.version else {
      throw PersistenceError(.persistentStoreOpen, "The file was written by a newer Roost.")
    }
    self.version = version
  }
}
