// SPDX-License-Identifier: Apache-2.0

import CLMDB
import Foundation
import RoostKeyValue
import RoostModel
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
  let gate = TransactionGate()
  private let process = ProcessGeneration.current
  private let descriptor: Int32
  /// The lock file, open a second time for ``withProcessLock(timeout:_:)``; negative when it is not.
  private let lockDescriptor: Int32
  private let handle: OpaquePointer
  private let tables: Mutex<TableDirectory>
  private let idle = Mutex<[LMDBSnapshot]>([])
  private let shared: Mutex<Shared>
  /// Held by the one thread of this process that writes.
  let writerLock = NSLock()
  /// Held while handles of tables are opened: LMDB gives them out to one transaction at a time.
  fileprivate let openingLock = NSLock()

  /// What the stores have in common that use the file.
  private struct Shared {
    var userCount = 1
    var isDurable: Bool
    var maximumSize: Int
  }

  /// How many tables a file may have: two for each entity and index of a very large model.
  private static let tableLimit: UInt32 = 4096
  /// How many transactions may read at a time, in all processes together.
  private static let readerLimit: UInt32 = 510

  /// Opens a file that is there.
  ///
  /// - Returns: nil when another file has taken its place meanwhile.
  init?(_ location: LMDBLocation, _ identity: FileIdentity, _ settings: LMDBSettings) throws {
    self.location = location
    self.identity = identity
    let descriptor = open(location.path, O_RDONLY | O_CLOEXEC)
    guard descriptor >= 0 else { throw LMDBError.system("open the file") }
    var isOpen = false
    defer { if !isOpen { close(descriptor) } }
    // Whoever removes or replaces the file wants this lock alone.
    try FileLock.take(descriptor, LOCK_SH, timeout: settings.timeout)
    let status = try FileStatus(of: descriptor)
    guard status.identity == identity, location.status()?.identity == identity else { return nil }
    let header = try LMDBHeader(of: descriptor, size: status.size)
    isWritable = access(location.path, W_OK) == 0
    guard isWritable || settings.isReadOnly else {
      throw PersistenceError(
        .persistentStoreOpen, "The file may not be written; it can be opened read-only.")
    }
    handle = try Self.openHandle(
      location, header, settings, isWritable: isWritable)
    do {
      tables = try Mutex(Self.readTables(handle))
    } catch {
      mdb_env_close(handle)
      throw error
    }
    self.descriptor = descriptor
    lockDescriptor = isWritable ? Self.openLock(location) : -1
    shared = Mutex(
      Shared(isDurable: settings.durability == .powerLoss, maximumSize: settings.maximumSize))
    isOpen = true
  }

  private static func openHandle(
    _ location: LMDBLocation, _ header: LMDBHeader, _ settings: LMDBSettings, isWritable: Bool
  ) throws -> OpaquePointer {
    var flags = UInt32(MDB_NOSUBDIR | MDB_NOTLS)
    if !isWritable { flags |= UInt32(MDB_RDONLY) }
    let wanted = min(max(settings.initialSize, header.mapSize), settings.maximumSize)
    let size = max(wanted, header.neededSize)
    let durability = isWritable ? settings.durabilityFlags : 0
    do {
      return try makeHandle(location, size, flags | durability)
    } catch let error as LMDBError
      where settings.isReadOnly && [EACCES, EPERM, EROFS].contains(error.code)
    {
      // In a folder that cannot be written the lock file cannot be made; while there is none, nobody writes.
      guard access(location.lockPath, F_OK) != 0 else { throw error }
      flags |= UInt32(MDB_RDONLY | MDB_NOLOCK)
      return try makeHandle(location, size, flags)
    }
  }

  private static func makeHandle(
    _ location: LMDBLocation, _ size: Int, _ flags: UInt32
  ) throws -> OpaquePointer {
    var created: OpaquePointer?
    try LMDBError.check(mdb_env_create(&created), "make an environment")
    guard let handle = created else { preconditionFailure("LMDB made no environment") }
    do {
      try LMDBError.check(mdb_env_set_maxdbs(handle, tableLimit), "make room for tables")
      try LMDBError.check(mdb_env_set_maxreaders(handle, readerLimit), "make room for readers")
      try LMDBError.check(mdb_env_set_mapsize(handle, size), "reserve addresses")
      try LMDBError.check(mdb_env_open(handle, location.path, flags, 0o600), "open the file")
      // Readers that were killed would keep every page that they saw.
      if flags & UInt32(MDB_NOLOCK) == 0 { mdb_reader_check(handle, nil) }
    } catch {
      mdb_env_close(handle)
      throw error
    }
    return handle
  }

  private static func readTables(_ handle: OpaquePointer) throws -> TableDirectory {
    var tables = TableDirectory()
    try openTables(handle, &tables)
    var transaction: OpaquePointer?
    try LMDBError.check(
      mdb_txn_begin(handle, nil, UInt32(MDB_RDONLY), &transaction), "begin to read")
    guard let transaction else { preconditionFailure("LMDB began no transaction") }
    defer { mdb_txn_abort(transaction) }
    _ = try StoreFormat(
      tables.blobs.flatMap { try BlobTable.read(StoreFormat.blobName, from: $0, transaction) })
    return tables
  }

  private static func openTables(
    _ handle: OpaquePointer, _ tables: inout TableDirectory
  ) throws {
    var transaction: OpaquePointer?
    try LMDBError.check(
      mdb_txn_begin(handle, nil, UInt32(MDB_RDONLY), &transaction), "begin to read")
    guard let transaction else { preconditionFailure("LMDB began no transaction") }
    do {
      try tables.openAll(in: transaction)
    } catch {
      mdb_txn_abort(transaction)
      throw error
    }
    try LMDBError.check(mdb_txn_commit(transaction), "open the tables")
  }
}

// MARK: - Users

extension LMDBEnvironment {
  /// Whether this process opened it, and not one that this one was forked from.
  var isOfThisProcess: Bool { ProcessGeneration.current == process }

  /// Counts one more store; what is stricter counts for all of them.
  func join(_ settings: LMDBSettings) throws {
    guard isWritable || settings.isReadOnly else {
      throw PersistenceError(
        .persistentStoreOpen, "The file is open in this process and could not be written.")
    }
    try shared.withLock { shared in
      if settings.durability == .powerLoss, !shared.isDurable, isWritable {
        try LMDBError.check(
          mdb_env_set_flags(handle, UInt32(MDB_NOMETASYNC), 0), "make saves durable")
        shared.isDurable = true
      }
      shared.maximumSize = max(shared.maximumSize, settings.maximumSize)
      shared.userCount += 1
    }
  }

  /// Counts one store less, and closes the file after the last one.
  ///
  /// - Returns: Whether it was the last one.
  func leave() -> Bool {
    let rest = shared.withLock { shared in
      shared.userCount -= 1
      return shared.userCount
    }
    guard rest == 0 else { return false }
    // What a child process inherited is its parent's to close.
    guard isOfThisProcess else { return true }
    endIdleReaders()
    mdb_env_close(handle)
    close(descriptor)
    // Not before: closing a file ends all locks of LMDB's kind that the process has on it.
    if lockDescriptor >= 0 { close(lockDescriptor) }
    return true
  }

  /// Throws in a child process: it shares locks with the one that opened the file.
  @inline(__always)
  func checkProcess() throws {
    guard isOfThisProcess else {
      throw PersistenceError(
        .persistentStoreOperation, "A store that was opened before a fork cannot be used after it.")
    }
  }

  /// Throws when another file is at the path: whoever writes into one that was renamed writes into a ghost.
  func checkFile() throws {
    guard location.status()?.identity == identity else {
      throw PersistenceError(
        .persistentStoreOperation, "The file was moved, replaced or removed while open.")
    }
  }

  private func endIdleReaders() {
    let readers = idle.withLock { idle in
      defer { idle = [] }
      return idle
    }
    for reader in readers { reader.end() }
  }
}

// MARK: - Reading

extension LMDBEnvironment {
  /// Takes a reader of the state as it is now; the caller is inside the gate until it gives it back.
  func takeReader() throws -> LMDBSnapshot {
    try checkProcess()
    gate.enter()
    do {
      for _ in 0..<Self.attempts {
        if let reader = try beginReading() { return reader }
      }
    } catch {
      gate.leave()
      throw error
    }
    gate.leave()
    throw PersistenceError(.storeBusy, "The file grows faster than it can be read.")
  }

  /// Gives a reader back: its transaction ends, so that it keeps no page from being used again.
  func giveBack(_ reader: LMDBSnapshot) {
    reader.pause()
    idle.withLock { $0.append(reader) }
    gate.leave()
  }

  private static let attempts = 100

  /// Begins to read, in a transaction that was used before if there is one.
  ///
  /// - Returns: nil when the file has grown or has other tables than before; then it is to be tried again.
  private func beginReading() throws -> LMDBSnapshot? {
    let known = tables.withLock { $0 }
    let reader: LMDBSnapshot
    if let used = idle.withLock({ $0.popLast() }) {
      reader = used
      let code = mdb_txn_renew(reader.transaction)
      guard code != MDB_MAP_RESIZED else {
        idle.withLock { $0.append(reader) }
        try adoptSize()
        return nil
      }
      guard code == MDB_SUCCESS else {
        reader.end()
        throw LMDBError(code: code, operation: "begin to read")
      }
    } else {
      guard let transaction = try beginTransaction(UInt32(MDB_RDONLY)) else { return nil }
      reader = LMDBSnapshot(transaction, isReadOnly: true)
    }
    do {
      if try reader.begin(known) { return reader }
      reader.pause()
      idle.withLock { $0.append(reader) }
      try openNewTables()
      return nil
    } catch {
      reader.end()
      throw error
    }
  }

  /// Begins a transaction; nil when the file had grown, which is known now.
  private func beginTransaction(_ flags: UInt32) throws -> OpaquePointer? {
    var transaction: OpaquePointer?
    var code = mdb_txn_begin(handle, nil, flags, &transaction)
    if code == MDB_READERS_FULL {
      mdb_reader_check(handle, nil)
      code = mdb_txn_begin(handle, nil, flags, &transaction)
    }
    if code == MDB_MAP_RESIZED {
      try adoptSize()
      return nil
    }
    try LMDBError.check(code, "begin a transaction")
    return transaction
  }

  /// Learns of the tables that another process has made.
  private func openNewTables() throws {
    openingLock.lock()
    defer { openingLock.unlock() }
    var extended = tables.withLock { $0 }
    try Self.openTables(handle, &extended)
    tables.withLock { $0 = extended }
  }

  fileprivate func know(_ extended: TableDirectory) {
    tables.withLock { $0 = extended }
  }
}

// MARK: - Writing

extension LMDBEnvironment {
  /// Begins to write, keeping the writers of other processes away; the caller holds ``writerLock`` and is inside the
  /// gate.
  ///
  /// - Parameter body: Gets the transaction and the tables, and ends the transaction.
  func write<Result>(
    _ body: (OpaquePointer, WritableTables) throws -> Result
  ) throws -> Result {
    for _ in 0..<Self.attempts {
      let known = tables.withLock { $0 }
      guard let transaction = try beginTransaction(0) else { continue }
      if try TableDirectory.nameCount(in: transaction) == known.nameCount {
        let tables = WritableTables(known, of: self)
        defer { tables.letGo() }
        return try body(transaction, tables)
      }
      mdb_txn_abort(transaction)
      try openNewTables()
    }
    throw PersistenceError(.storeBusy, "The file grows faster than it can be written.")
  }

  private static func openLock(_ location: LMDBLocation) -> Int32 {
    #if os(Linux)
    open(location.lockPath, O_RDONLY | O_CLOEXEC)
    #else
    // Elsewhere a lock of a whole file and LMDB's own lock of its first byte exclude each other.
    -1
    #endif
  }

  /// Keeps the writers of other processes away, for as long as the time allows: LMDB by itself waits for ever, also for
  /// a process that was stopped.
  func withProcessLock<Result>(
    timeout: TimeInterval, _ body: () throws -> Result
  ) throws -> Result {
    guard lockDescriptor >= 0 else { return try body() }
    try FileLock.take(
      lockDescriptor, LOCK_EX, timeout: timeout,
      orSay: "Another process wrote until the time was over.")
    defer { flock(lockDescriptor, LOCK_UN) }
    return try body()
  }

  // MARK: Size

  /// Makes room: at least twice as many addresses. The caller is inside the gate, and is again when this returns.
  ///
  /// - Throws: `storeFull` when the file has the largest size that it may have, `storeBusy` when somebody reads until
  ///   the time is over.
  func grow(timeout: TimeInterval) throws {
    let limit = shared.withLock { $0.maximumSize }
    var information = MDB_envinfo()
    try LMDBError.check(mdb_env_info(handle, &information), "ask for the file's size")
    let size = Int(clamping: information.me_mapsize)
    guard size < limit else { throw LMDBError(code: MDB_MAP_FULL, operation: "grow") }
    try outside {
      try gate.alone(timeout: timeout) {
        // Pages that dead readers keep may be all that is missing.
        mdb_reader_check(handle, nil)
        try LMDBError.check(
          mdb_env_set_mapsize(handle, min(limit, size * 2)), "reserve more addresses")
      }
    }
  }

  /// Takes over the size that another process gave the file. The caller is inside the gate.
  private func adoptSize() throws {
    try outside {
      try gate.alone(timeout: Self.adoptionTimeout) {
        try LMDBError.check(mdb_env_set_mapsize(handle, 0), "take over the file's size")
      }
    }
  }

  private static let adoptionTimeout: TimeInterval = 30

  private func outside(_ body: () throws -> Void) rethrows {
    gate.leave()
    defer { gate.enter() }
    try body()
  }

  /// Whether LMDB goes on with the file; after some errors it does not, until it is opened again.
  var isUsable: Bool {
    var transaction: OpaquePointer?
    let code = mdb_txn_begin(handle, nil, UInt32(MDB_RDONLY), &transaction)
    if let transaction { mdb_txn_abort(transaction) }
    return code != MDB_PANIC
  }

  /// Whether next to nothing can be added to the file: the disk is full, or the process may not write more.
  var isOutOfRoom: Bool {
    var system = statvfs()
    if fstatvfs(descriptor, &system) == 0,
      UInt64(system.f_bavail) * UInt64(system.f_frsize) < UInt64(Self.littleRoom)
    {
      return true
    }
    var limit = rlimit()
    #if os(Linux)
    let resource = __rlimit_resource_t(1)
    #else
    let resource = RLIMIT_FSIZE
    #endif
    guard getrlimit(resource, &limit) == 0, let size = try? FileStatus(of: descriptor).size else {
      return false
    }
    return limit.rlim_cur < UInt64(size + Self.littleRoom)
  }

  private static let littleRoom = 65_536

  /// Copies the file as it is now, without the pages that nobody needs.
  func copy(to descriptor: Int32) throws {
    try checkProcess()
    gate.enter()
    defer { gate.leave() }
    try LMDBError.check(
      mdb_env_copyfd2(handle, descriptor, UInt32(MDB_CP_COMPACT)), "copy the file")
  }
}

/// The tables of a transaction that writes, to which it adds those that are missing.
final class WritableTables {
  private(set) var directory: TableDirectory
  private let environment: LMDBEnvironment
  private var isOpening = false

  fileprivate init(_ directory: TableDirectory, of environment: LMDBEnvironment) {
    self.directory = directory
    self.environment = environment
  }

  /// The table of an entity's records.
  func records(ofEntityCode code: Int, in transaction: OpaquePointer) throws -> MDB_dbi {
    if let table = directory.records(ofEntityCode: code) { return table }
    beginOpening()
    return try directory.makeRecords(ofEntityCode: code, in: transaction)
  }

  /// A table of entries.
  func entries(of table: EntryTable, in transaction: OpaquePointer) throws -> MDB_dbi {
    if let table = directory.entries(of: table) { return table }
    beginOpening()
    return try directory.makeEntries(of: table, in: transaction)
  }

  private func beginOpening() {
    guard !isOpening else { return }
    environment.openingLock.lock()
    isOpening = true
  }

  /// Makes the tables known that the transaction has made; it has been committed.
  func didCommit() {
    if isOpening { environment.know(directory) }
  }

  /// Lets others open tables; the transaction has ended.
  fileprivate func letGo() {
    if isOpening { environment.openingLock.unlock() }
  }
}
