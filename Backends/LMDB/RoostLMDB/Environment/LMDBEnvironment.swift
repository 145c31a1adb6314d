// SPDX-License-Identifier: Apache-2.0

import CLMDB
import Foundation
import RoostKeyValue
import RoostModel
import RoostStore
import Synchronization

/// An open file: shared by all stores of this process that use it.
///
/// Readers never wait for a writer, nor a writer for them, except while the file's addresses move because it grew.
final class LMDBEnvironment: @unchecked Sendable {
  // Sendable: LMDB's handle may be used by all threads as long as its size changes only while a caller is alone behind
  // the gate; everything else is constant, a lock or in a mutex.

  let location: LMDBLocation
  let identity: FileIdentity
  /// Whether the file can be written.
  let isWritable: Bool
  /// The status of the file when it was opened without a lock file; nil when it has one.
  private let unlocked: FileStatus?
  let gate = TransactionGate()
  private let process = ProcessGeneration.current
  let descriptor: Int32
  /// The lock file, open a second time for ``withProcessLock(timeout:_:)``; negative when it is not.
  let lockDescriptor: Int32
  /// The LMDB environment; nil while it could not be reopened after a failure. It changes only while a caller has the
  /// gate exclusively.
  @exclusivity(unchecked) var handle: OpaquePointer?
  /// The map size when the environment was closed for reopening; used only with the gate held exclusively.
  @exclusivity(unchecked) var mapSize = 0
  let tables: SharedState<TableDirectory>
  /// A number that changes after each change of the table directory.
  let tableNumber = Atomic<Int>(0)
  let idle = SharedState<[LMDBSnapshot]>([])
  let shared: SharedState<Shared>
  /// The number of times that the memory map may have moved; it changes only while a caller has the gate exclusively.
  let moveCount = Atomic<Int>(0)
  /// Held by the one thread of this process that writes.
  let writerLock = NSLock()
  /// Held while table handles are opened: LMDB allows one transaction at a time to open them.
  let openingLock = NSLock()

  /// State shared by all stores that use the file.
  struct Shared {
    var userCount = 1
    var isDurable: Bool
    var maximumSize: Int
  }

  /// The most tables of a file: two for each entity and index of a very large model.
  private static let tableLimit: UInt32 = 4096
  /// The most concurrent read transactions, in all processes together.
  private static let readerLimit: UInt32 = 510
  /// The most readers that are kept for the next requests: each of them takes a place among those of all processes.
  static let idleLimit = max(8, 2 * ProcessInfo.processInfo.activeProcessorCount)

  /// Opens an existing file.
  ///
  /// - Returns: nil when another file has replaced it meanwhile.
  init?(_ location: LMDBLocation, _ identity: FileIdentity, _ settings: LMDBSettings) throws {
    self.location = location
    self.identity = identity
    let descriptor = open(location.path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw LMDBError.system("open the file") }
    var isOpen = false
    defer { if !isOpen { close(descriptor) } }
    // A process that removes or replaces the file takes this lock exclusively.
    try FileLock.take(descriptor, LOCK_SH, timeout: settings.timeout)
    let status = try FileStatus(of: descriptor)
    guard status.identity == identity, try location.status()?.identity == identity else {
      return nil
    }
    try StoreFilePath.requireOneName(location.path, linkCount: status.linkCount)
    let header = try LMDBHeader(of: descriptor, size: status.size)
    isWritable = access(location.path, W_OK) == 0
    guard isWritable || settings.isReadOnly else {
      throw PersistenceError(
        .persistentStoreOpen, "The file may not be written; it can be opened read-only.")
    }
    let (opened, isUnlocked) = try Self.openHandle(
      location, header, settings, isWritable: isWritable)
    unlocked = isUnlocked ? status : nil
    do {
      try LMDBStructureCheck.run(opened, descriptor, pages: settings.checkedSize / header.pageSize)
      tables = try SharedState(Self.readTables(opened))
    } catch {
      mdb_env_close(opened)
      throw error
    }
    handle = opened
    self.descriptor = descriptor
    lockDescriptor = isWritable ? Self.openLock(location) : -1
    shared = SharedState(
      Shared(isDurable: settings.durability == .powerLoss, maximumSize: settings.maximumSize))
    isOpen = true
  }

  private static func openHandle(
    _ location: LMDBLocation, _ header: LMDBHeader, _ settings: LMDBSettings, isWritable: Bool
  ) throws -> (handle: OpaquePointer, isUnlocked: Bool) {
    var flags = UInt32(MDB_NOSUBDIR | MDB_NOTLS)
    if !isWritable { flags |= UInt32(MDB_RDONLY) }
    let wanted = min(max(settings.initialSize, header.mapSize), settings.maximumSize)
    let size = max(wanted, header.neededSize)
    let durability = isWritable ? settings.durabilityFlags : 0
    do {
      return (try makeHandle(location, size, flags | durability), false)
    } catch let error as LMDBError
      where settings.isReadOnly && [EACCES, EPERM, EROFS].contains(error.code)
    {
      // In a read-only folder the lock file cannot be created; while there is none, the file has no writers.
      guard access(location.lockPath, F_OK) != 0 else { throw error }
      flags |= UInt32(MDB_RDONLY | MDB_NOLOCK)
      return (try makeHandle(location, size, flags), true)
    }
  }

  static func makeHandle(
    _ location: LMDBLocation, _ size: Int, _ flags: UInt32
  ) throws -> OpaquePointer {
    var created: OpaquePointer?
    try LMDBError.check(mdb_env_create(&created), "make an environment")
    guard let handle = created else { preconditionFailure("LMDB made no environment") }
    do {
      try LMDBError.check(mdb_env_set_maxdbs(handle, tableLimit), "make room for tables")
      try LMDBError.check(mdb_env_set_maxreaders(handle, readerLimit), "make room for readers")
      try LMDBError.check(mdb_env_set_mapsize(handle, size), "reserve addresses")
      let code = mdb_env_open(handle, location.path, flags, 0o600)
      // The header was read before: the invalid file is not the database.
      guard code != MDB_INVALID else {
        throw PersistenceError(
          .persistentStoreOpen, "The file could not be read, or its lock file is not LMDB's.")
      }
      try LMDBError.check(code, "open the file")
      // Readers that were killed would keep every page that they saw.
      if flags & UInt32(MDB_NOLOCK) == 0 { mdb_reader_check(handle, nil) }
    } catch {
      mdb_env_close(handle)
      throw error
    }
    return handle
  }

  static func readTables(_ handle: OpaquePointer) throws -> TableDirectory {
    var tables = TableDirectory()
    for _ in 0..<attempts {
      guard try openTables(handle, &tables),
        let transaction = try beginTransaction(handle, UInt32(MDB_RDONLY))
      else {
        // Another process has grown the file since its header was read. The handle is not in use yet.
        try LMDBError.check(mdb_env_set_mapsize(handle, 0), "take over the file's size")
        continue
      }
      defer { mdb_txn_abort(transaction) }
      _ = try StoreFormat(
        tables.blobs.flatMap { try BlobTable.read(StoreFormat.blobName, from: $0, transaction) })
      return tables
    }
    throw PersistenceError(.storeBusy, "The file grows faster than it can be opened.")
  }

  /// Opens the tables that are not open yet.
  ///
  /// - Returns: false when the file has grown, whose size must be adopted first.
  static func openTables(
    _ handle: OpaquePointer, _ tables: inout TableDirectory
  ) throws -> Bool {
    guard let transaction = try beginTransaction(handle, UInt32(MDB_RDONLY)) else { return false }
    do {
      try tables.openAll(in: transaction)
    } catch {
      mdb_txn_abort(transaction)
      throw error
    }
    try LMDBError.check(mdb_txn_commit(transaction), "open the tables")
    return true
  }
}

extension LMDBEnvironment {
  private static func openLock(_ location: LMDBLocation) -> Int32 {
    #if os(Linux)
    open(location.lockPath, O_RDONLY | O_CLOEXEC)
    #else
    // Elsewhere a lock of a whole file and LMDB's own lock of its first byte exclude each other.
    -1
    #endif
  }
}

// MARK: - Users

extension LMDBEnvironment {
  /// Whether this process opened the environment, and not a parent from which it was forked.
  var isOfThisProcess: Bool { ProcessGeneration.current == process }

  /// Counts one more store; the stricter durability and the larger size limit apply to all of them.
  func join(_ settings: LMDBSettings) throws {
    guard isWritable || settings.isReadOnly else {
      throw PersistenceError(
        .persistentStoreOpen, "The file is open in this process and could not be written.")
    }
    try shared.withLock { shared in
      if settings.durability == .powerLoss, !shared.isDurable, isWritable {
        try LMDBError.check(
          mdb_env_set_flags(try usableHandle(), UInt32(MDB_NOMETASYNC), 0), "make saves durable")
        shared.isDurable = true
      }
      shared.maximumSize = max(shared.maximumSize, settings.maximumSize)
      shared.userCount += 1
    }
  }

  /// Makes committed transactions durable where a save is flushed only together with the next one.
  ///
  /// - Throws: `commitOutcomeUnknown`.
  func synchronize() throws {
    guard !shared.withLock({ $0.isDurable }) else { return }
    let code = mdb_env_sync(try usableHandle(), 1)
    guard code != MDB_SUCCESS else { return }
    throw PersistenceError(
      .commitOutcomeUnknown, "The written data could not be made durable.",
      underlying: LMDBError(code: code, operation: "synchronize"))
  }

  /// Makes all that can be read durable, that of other processes too: they may flush less often than this one.
  ///
  /// - Throws: `persistentStoreOperation`.
  func makeReadDataDurable() throws {
    // LMDB flushes no file that was opened for reading only.
    let code = isWritable ? mdb_env_sync(try usableHandle(), 1) : fsync(descriptor) == 0 ? 0 : errno
    guard code != MDB_SUCCESS else { return }
    throw PersistenceError(
      .persistentStoreOperation, "The data in the file could not be made durable.",
      underlying: LMDBError(code: code, operation: "synchronize"))
  }

  /// Removes one store from the count.
  ///
  /// - Returns: Whether it was the last one, so that the file must be closed.
  func leave() -> Bool {
    shared.withLock { shared in
      shared.userCount -= 1
      return shared.userCount == 0
    }
  }

  /// Closes the file, which is no longer in use.
  func closeFile() {
    // An inherited environment belongs to the parent process, which closes it.
    guard isOfThisProcess else { return }
    endIdleReaders()
    if let handle { mdb_env_close(handle) }
    close(descriptor)
    // Only now: closing any descriptor of a file releases all POSIX locks of the process on it.
    if lockDescriptor >= 0 { close(lockDescriptor) }
  }

  /// Throws in a child process: it shares locks with the process that opened the file.
  @inline(__always)
  func checkProcess() throws {
    guard isOfThisProcess else {
      throw PersistenceError(
        .persistentStoreOperation, "A store that was opened before a fork cannot be used after it.")
    }
  }

  /// Throws when a file that was opened without locks was written since, or is open to be written: its pages no longer
  /// belong together.
  func checkUnlocked() throws {
    guard let unlocked else { return }
    guard access(location.lockPath, F_OK) != 0, try location.status() == unlocked else {
      throw PersistenceError(
        .storeBusy,
        "The file is written, and could only be opened without locks; open it again.")
    }
  }

  /// Throws when another file is at the path: writes to a renamed file would be lost.
  ///
  /// - Returns: The size of the file.
  func checkFile() throws -> Int {
    guard let place = location.place(), place.identity == identity else {
      throw PersistenceError(
        .persistentStoreOperation, "The file was moved, replaced or removed while open.")
    }
    return place.size
  }

  func endIdleReaders() {
    let readers = idle.withLock { idle in
      defer { idle = [] }
      return idle
    }
    for reader in readers { reader.end() }
  }
}
