// SPDX-License-Identifier: Apache-2.0

import CSQLite
import Foundation
import Synchronization

/// A disk with injected failures: SQLite's default VFS, with counted write calls for files whose paths contain
/// ``mark``.
enum FaultyDisk {
  /// The text that the paths of files on this disk contain.
  static let mark = "faulty-disk"

  struct Fault {
    /// The number of the call that fails, from 1.
    var call: Int
    /// The result code of the failing call.
    var code: Int32
    /// Whether all later calls fail too.
    var isSticky = false
    /// The number of consecutive calls that fail.
    var count = 1
    /// The kinds of calls that count.
    var kinds: Set<Kind> = [.write, .sync, .truncate]
  }

  enum Kind: Hashable, Sendable {
    case write, sync, truncate, lock, unlock
  }

  private struct State {
    var fault: Fault?
    var calls = 0
    var failures = 0
    var opening: (@Sendable () -> Void)?
  }

  private static let state = Mutex(State())

  /// Runs `body` with an injected fault, and returns the number of failed calls.
  static func failing(_ fault: Fault, _ body: () throws -> Void) rethrows -> Int {
    install()
    state.withLock { $0 = State(fault: fault) }
    defer { state.withLock { $0.fault = nil } }
    try body()
    return state.withLock { $0.failures }
  }

  /// Runs a body once, while the next database file is opened.
  static func interruptOpening(_ body: @escaping @Sendable () -> Void) {
    install()
    state.withLock { $0.opening = body }
  }

  /// Runs `body` with shortened `xSleep` pauses on this thread. SQLite retries for ten seconds to get a lock that a
  /// failed call has left behind; if no other thread can release it, the pauses only take time.
  static func withShortPauses<Result>(_ body: () throws -> Result) rethrows -> Result {
    install()
    let values = Thread.current.threadDictionary
    values[shortPauses] = true
    defer { values.removeObject(forKey: shortPauses) }
    return try body()
  }

  private static let shortPauses = "org.roost.FaultyDisk.shortPauses"

  /// Installs the VFS, once.
  static func install() {
    _ = installed
  }

  private static func takeInterruption() -> (@Sendable () -> Void)? {
    state.withLock { state in
      defer { state.opening = nil }
      return state.opening
    }
  }

  private static func failure(_ kind: Kind) -> Int32? {
    state.withLock { state in
      guard let fault = state.fault, fault.kinds.contains(kind) else { return nil }
      state.calls += 1
      let isFailing =
        fault.isSticky
        ? state.calls >= fault.call
        : (fault.call..<fault.call + fault.count).contains(state.calls)
      guard isFailing else { return nil }
      state.failures += 1
      return fault.code
    }
  }

  // C function pointers cannot capture values, so these are global. `system` is set before any file is opened; the
  // others under the lock of `patched`, before the first file fails.
  private nonisolated(unsafe) static var system: UnsafeMutablePointer<sqlite3_vfs>!
  private nonisolated(unsafe) static var original: sqlite3_io_methods!
  private nonisolated(unsafe) static var locking: sqlite3_io_methods!

  /// The patched I/O methods, for each kind of file: with shared-memory locks and without.
  private static let patched = Mutex<[UInt: UInt]>([:])

  private static func patch(_ file: UnsafeMutablePointer<sqlite3_file>) {
    guard let methods = file.pointee.pMethods else { return }
    let address = patched.withLock { patched in
      let key = UInt(bitPattern: methods)
      if let known = patched[key] { return known }
      let copy = UInt(bitPattern: makeFaulty(methods.pointee))
      patched[key] = copy
      return copy
    }
    file.pointee.pMethods = UnsafePointer(bitPattern: address)
  }

  private static func makeFaulty(
    _ methods: sqlite3_io_methods
  ) -> UnsafeMutablePointer<sqlite3_io_methods> {
    // Reading and writing are the same for both kinds.
    if original == nil { original = methods }
    // Only database files have shared memory; a WAL file has no locks.
    if methods.iVersion >= 2, methods.xShmLock != nil { locking = methods }
    let copy = UnsafeMutablePointer<sqlite3_io_methods>.allocate(capacity: 1)
    copy.initialize(to: methods)
    copy.pointee.xSync = { file, flags in
      FaultyDisk.failure(.sync) ?? FaultyDisk.original.xSync(file, flags)
    }
    copy.pointee.xWrite = { file, bytes, count, offset in
      FaultyDisk.failure(.write) ?? FaultyDisk.original.xWrite(file, bytes, count, offset)
    }
    copy.pointee.xTruncate = { file, size in
      FaultyDisk.failure(.truncate) ?? FaultyDisk.original.xTruncate(file, size)
    }
    guard methods.iVersion >= 2, methods.xShmLock != nil else { return copy }
    copy.pointee.xLock = { file, level in
      FaultyDisk.failure(.lock) ?? FaultyDisk.locking.xLock(file, level)
    }
    copy.pointee.xUnlock = { file, level in
      FaultyDisk.failure(.unlock) ?? FaultyDisk.locking.xUnlock(file, level)
    }
    copy.pointee.xShmLock = { file, offset, count, flags in
      FaultyDisk.failure(flags & SQLITE_SHM_UNLOCK != 0 ? .unlock : .lock)
        ?? FaultyDisk.locking.xShmLock(file, offset, count, flags)
    }
    return copy
  }

  private static let installed: Bool = {
    system = sqlite3_vfs_find(nil)
    let disk = UnsafeMutablePointer<sqlite3_vfs>.allocate(capacity: 1)
    disk.initialize(to: system.pointee)
    disk.pointee.pNext = nil
    disk.pointee.zName = UnsafePointer(strdup("roost-faulty"))
    disk.pointee.xOpen = { _, name, file, flags, outFlags in
      if flags & SQLITE_OPEN_MAIN_DB != 0, let name, String(cString: name).contains(FaultyDisk.mark)
      {
        FaultyDisk.takeInterruption()?()
      }
      let code = FaultyDisk.system.pointee.xOpen(FaultyDisk.system, name, file, flags, outFlags)
      guard code == SQLITE_OK, let file, let name, String(cString: name).contains(FaultyDisk.mark)
      else { return code }
      FaultyDisk.patch(file)
      return code
    }
    disk.pointee.xSleep = { _, microseconds in
      let isShort = Thread.current.threadDictionary[FaultyDisk.shortPauses] != nil
      return FaultyDisk.system.pointee.xSleep(
        FaultyDisk.system, isShort ? min(microseconds, 1_000) : microseconds)
    }
    return sqlite3_vfs_register(disk, 1) == SQLITE_OK
  }()
}
