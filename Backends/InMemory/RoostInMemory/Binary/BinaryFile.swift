// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostKeyValue
import RoostModel
import RoostStore
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// The open file of a binary store, and its tables in memory.
///
/// The file is read once and never changed in place: each save replaces it with a new one. A process holds a lock on
/// the file while the store is open, so no other process can save meanwhile.
final class BinaryFile: Sendable {
  let location: BinaryLocation
  let tables: MemoryTables
  /// Whether there was nothing in the file.
  let isNew: Bool
  private let state: Mutex<State>
  /// The process that opened the file. A child of it shares the lock, which keeps the two apart from others only.
  private let process: Int
  /// The number of saves whose file has its name, and after which the folder could not be flushed yet.
  private let unsettledSaves = Atomic<Int>(0)
  /// Whether another process may have replaced the file while this one had no lock on it.
  private let isReplaced = Atomic<Bool>(false)
  private let synchronizeFolder: @Sendable (_ path: String) throws -> Void

  private struct State {
    var descriptor: Int32
    /// The records whose layouts are not known yet, or do not exist in the model.
    var packed: [Int: BinaryContents.PackedRecords]
  }

  /// The lock mode: how other processes may use the file.
  enum Lock {
    /// Other processes may read it.
    case shared
    /// No other process may have it open.
    case alone

    fileprivate var operation: Int32 { self == .alone ? LOCK_EX : LOCK_SH }
  }

  /// Opens and reads a file, or makes an empty one.
  ///
  /// - Parameters:
  ///   - process: The number of the process; tests give another one.
  ///   - synchronizeFolder: Flushes the folder of a path; tests make it fail.
  init(
    _ location: BinaryLocation, isReadOnly: Bool, timeout: Double,
    process: Int = ProcessGeneration.current,
    synchronizeFolder: @escaping @Sendable (_ path: String) throws -> Void = {
      try DurableFiles.synchronizeFolder(of: $0)
    }
  ) throws {
    self.location = location
    self.process = process
    self.synchronizeFolder = synchronizeFolder
    let descriptor = try Self.open(location, isReadOnly ? .shared : .alone, isReadOnly, timeout)
    do {
      let bytes = try BinaryLocation.bytes(of: descriptor)
      isNew = bytes.isEmpty
      let contents = isNew ? BinaryContents() : try BinaryContents(file: bytes)
      tables = MemoryTables(contents.tablesWithoutRecords())
      state = Mutex(State(descriptor: descriptor, packed: contents.records))
    } catch {
      Self.closeFile(descriptor)
      throw error
    }
    if !isReadOnly { location.removeAbandonedFiles() }
  }

  static func open(
    _ location: BinaryLocation, _ lock: Lock, _ isReadOnly: Bool, _ timeout: Double
  ) throws -> Int32 {
    while true {
      let flags = O_RDONLY | O_CLOEXEC | O_NONBLOCK | (isReadOnly ? 0 : O_CREAT)
      let descriptor = openFile(location.path, flags)
      guard descriptor >= 0 else { throw BinaryLocation.failure("opened") }
      do {
        try take(lock, descriptor, timeout: timeout)
      } catch {
        closeFile(descriptor)
        throw error
      }
      // Another process may have saved between: then it is the file that was before.
      if location.isPlace(of: descriptor) { return descriptor }
      closeFile(descriptor)
    }
  }

  private static func openFile(_ path: String, _ flags: Int32) -> Int32 {
    #if canImport(Darwin)
    Darwin.open(path, flags, 0o600)
    #elseif canImport(Musl)
    Musl.open(path, flags, 0o600)
    #else
    Glibc.open(path, flags, 0o600)
    #endif
  }

  private static func closeFile(_ descriptor: Int32) {
    #if canImport(Darwin)
    Darwin.close(descriptor)
    #elseif canImport(Musl)
    Musl.close(descriptor)
    #else
    Glibc.close(descriptor)
    #endif
  }

  /// - Parameter afterAttempt: What to do after each attempt that failed.
  private static func take(
    _ lock: Lock, _ descriptor: Int32, timeout: Double, afterAttempt: () -> Void = {}
  ) throws {
    let deadline = Deadline(after: timeout)
    while flock(descriptor, lock.operation | LOCK_NB) != 0 {
      // A file system without locks.
      if errno == ENOLCK || errno == EOPNOTSUPP { return }
      guard errno == EWOULDBLOCK || errno == EINTR else { throw BinaryLocation.failure("locked") }
      afterAttempt()
      guard !deadline.isOver else {
        throw PersistenceError(
          .storeBusy, "The store is open in another process; a binary store is for one.")
      }
      Thread.sleep(forTimeInterval: 0.002)
    }
  }

  /// Takes the file for writing as well as for reading.
  ///
  /// - Returns: Whether it is still the store's file. Changing a lock gives it up for a moment, in which another
  ///   process may save: then the file can no longer be used.
  /// - Throws: `storeBusy`; the file is then locked for reading, or can no longer be used.
  func lockForWriting(timeout: Double) throws -> Bool {
    try state.withLock { state in
      let descriptor = state.descriptor
      var isShared = true
      defer {
        if !isShared || !location.isPlace(of: descriptor) {
          isReplaced.store(true, ordering: .releasing)
        }
      }
      // Linux releases a lock that it could not change.
      try Self.take(.alone, descriptor, timeout: timeout) {
        isShared = Self.share(descriptor)
      }
      isShared = true
      return location.isPlace(of: descriptor)
    }
  }

  /// Lets other processes read the file again.
  func lockForReading() {
    state.withLock { state in
      if state.descriptor >= 0 { _ = Self.share(state.descriptor) }
    }
  }

  /// Locks a file for reading, unless another process has it for writing.
  private static func share(_ descriptor: Int32) -> Bool {
    flock(descriptor, LOCK_SH | LOCK_NB) == 0
  }

  /// Whether it is the store's file: not one that was replaced since.
  var isCurrent: Bool {
    state.withLock { location.isPlace(of: $0.descriptor) } || !location.exists
  }

  /// Whether another process may have replaced the file while this one had no lock on it.
  var mayBeReplaced: Bool { isReplaced.load(ordering: .acquiring) }

  /// Whether this process opened it, and not one that forked it.
  var isOfThisProcess: Bool { ProcessGeneration.current == process }

  /// Checks that what is in memory may be told, and is in the file for good: after a save with an unknown outcome the
  /// folder is flushed again.
  ///
  /// - Throws: `persistentStoreOperation` in a forked process, and while the folder cannot be flushed.
  func check() throws {
    guard isOfThisProcess else {
      throw PersistenceError(
        .persistentStoreOperation, "A store that was opened before a fork cannot be used after it.",
        store: location.name)
    }
    guard !mayBeReplaced else {
      throw PersistenceError(
        .persistentStoreOperation,
        "Another process has replaced the file of the store; open the store again.",
        store: location.name)
    }
    let unsettled = unsettledSaves.load(ordering: .acquiring)
    guard unsettled > 0 else { return }
    try synchronizeFolder(location.path)
    // A save that failed meanwhile needs a flush of its own.
    _ = unsettledSaves.compareExchange(expected: unsettled, desired: 0, ordering: .releasing)
  }

  func close() {
    state.withLock { state in
      guard state.descriptor >= 0 else { return }
      Self.closeFile(state.descriptor)
      state.descriptor = -1
    }
  }

  deinit {
    close()
  }

  /// Makes rows of the records whose layouts the model has.
  func unpack(_ schema: StoreSchema) throws {
    try tables.write { version in
      try state.withLock { state in
        var batch = WriteBatch()
        var left = state.packed
        for entity in schema.entities {
          guard let code = schema.code(of: entity), let records = left[code] else { continue }
          batch.change(try records.rows(as: entity.layout, code: code))
          left[code] = nil
        }
        state.packed = left
        guard !batch.isEmpty else { return nil }
        // The rows need the model to be alive.
        let next = version.applying(batch)
        return next.replacing(next.records, of: schema)
      }
    }
  }

  /// The bytes of the file for the current state.
  func bytes() throws -> [UInt8] {
    try state.withLock { try BinaryContents.file(of: tables.version, besides: $0.packed) }
  }

  /// Replaces the file with one for a new version, atomically and durably.
  ///
  /// - Returns: `commitOutcomeUnknown` when the file is replaced, and it is unknown whether the new one survives a
  ///   power failure: the new version is the one to read.
  /// - Throws: An error after which the file is the old one.
  func save(_ version: MemoryVersion) throws -> PersistenceError? {
    try state.withLock { state in
      let bytes = try BinaryContents.file(of: version, besides: state.packed)
      guard location.isPlace(of: state.descriptor) else {
        throw PersistenceError(
          .persistentStoreOperation,
          "The file of the store was removed or replaced while it was open.", store: location.name)
      }
      let old = state.descriptor
      state.descriptor = try Self.put(bytes, at: location, like: old)
      Self.closeFile(old)
      do {
        try synchronizeFolder(location.path)
        return nil
      } catch {
        unsettledSaves.add(1, ordering: .releasing)
        return PersistenceError(
          .commitOutcomeUnknown, "The folder of the store could not be flushed.",
          store: location.name, underlying: error)
      }
    }
  }

  /// Flushes the folder: the last save may have ended, or its process, before it did.
  func makeNameDurable() throws { try synchronizeFolder(location.path) }

  /// Writes a temporary file beside the path, flushes it and renames it into place.
  ///
  /// - Parameter model: An open file whose permissions it gets; nil for a file that only its owner can read.
  /// - Returns: The descriptor of the file, exclusively locked.
  static func put(
    _ bytes: [UInt8], at location: BinaryLocation, like model: Int32?
  ) throws -> Int32 {
    let temporary = location.temporaryPath()
    let descriptor = openFile(temporary, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC)
    guard descriptor >= 0 else { throw failedSave() }
    do {
      var status = stat()
      if let model, fstat(model, &status) == 0 { fchmod(descriptor, status.st_mode & 0o777) }
      try take(.alone, descriptor, timeout: 0)
      try write(bytes, to: descriptor)
      guard fsync(descriptor) == 0 else { throw failedSave() }
      DurableFiles.note(DurableFiles.Step.synchronizeFile, temporary)
      try DurableFiles.move(temporary, to: location.path)
      return descriptor
    } catch {
      closeFile(descriptor)
      try? DurableFiles.remove(temporary)
      throw error
    }
  }

  private static func write(_ bytes: [UInt8], to descriptor: Int32) throws {
    try bytes.withUnsafeBytes { bytes in
      var done = 0
      while done < bytes.count {
        let count = pwrite(
          descriptor, bytes.baseAddress.map { $0 + done }, bytes.count - done, off_t(done))
        if count < 0, errno == EINTR { continue }
        guard count > 0 else { throw failedSave() }
        done += count
      }
    }
  }

  private static func failedSave() -> PersistenceError {
    let code = POSIXErrorCode(rawValue: errno) ?? .EIO
    return PersistenceError(
      .persistentStoreSave, "The file of the store cannot be written.",
      underlying: POSIXError(code))
  }
}
