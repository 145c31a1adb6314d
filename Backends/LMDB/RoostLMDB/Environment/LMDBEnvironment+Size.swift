// SPDX-License-Identifier: Apache-2.0

import CLMDB
import Foundation
import RoostModel
import RoostStore
import Synchronization

extension LMDBEnvironment {
  /// Makes room: at least twice as many addresses. The caller is inside the gate, and is again when this returns.
  ///
  /// - Throws: `storeFull` when the file has the largest size that it may have, `storeBusy` when it is read until
  ///   the time is over.
  func grow(timeout: TimeInterval) throws {
    let limit = shared.withLock { $0.maximumSize }
    var information = MDB_envinfo()
    try LMDBError.check(mdb_env_info(try usableHandle(), &information), "ask for the file's size")
    let size = Int(clamping: information.me_mapsize)
    guard size < limit else { throw LMDBError(code: MDB_MAP_FULL, operation: "grow") }
    try outside {
      try gate.alone(timeout: timeout) {
        let handle = try usableHandle()
        // Pages that dead readers keep may be all that is missing.
        mdb_reader_check(handle, nil)
        moveCount.wrappingAdd(1, ordering: .releasing)
        try LMDBError.check(
          mdb_env_set_mapsize(handle, min(limit, size * 2)), "reserve more addresses")
      }
    }
  }

  /// Adopts the size that another process gave the file. The caller is inside the gate.
  func adoptSize() throws {
    try outside {
      try gate.alone(timeout: Self.adoptionTimeout) {
        moveCount.wrappingAdd(1, ordering: .releasing)
        try LMDBError.check(mdb_env_set_mapsize(try usableHandle(), 0), "take over the file's size")
      }
    }
  }

  private static let adoptionTimeout: TimeInterval = 30

  /// The number of times that the memory map may have moved so far.
  var moves: Int { moveCount.load(ordering: .acquiring) }

  /// Calls `body` while the caller, who is inside the gate, has left it.
  func outside(_ body: () throws -> Void) rethrows {
    gate.leave()
    defer { gate.enter() }
    try body()
  }

  /// Whether next to nothing can be added to the file: the disk is full, or the process may not write more.
  var isOutOfRoom: Bool {
    var system = statvfs()
    if fstatvfs(descriptor, &system) == 0,
      UInt64(system.f_bavail) * UInt64(system.f_frsize) < UInt64(Self.littleRoom)
    {
      return true
    }
    guard let size = try? FileStatus(of: descriptor).size else { return false }
    return !mayHave(size + Self.littleRoom)
  }

  private static let littleRoom = 65_536

  /// Whether the process may make the file as large as this.
  private func mayHave(_ size: Int) -> Bool {
    var limit = rlimit()
    #if os(Linux)
    let resource = __rlimit_resource_t(1)
    #else
    let resource = RLIMIT_FSIZE
    #endif
    return getrlimit(resource, &limit) != 0 || limit.rlim_cur >= UInt64(size)
  }

  /// Writes zeros behind the last used page when there is little room left in the file. The caller holds the write
  /// transaction, so there are no other writers.
  ///
  /// Flushing a file that has grown also flushes the file system's metadata, which costs as much again; so many small
  /// saves share one such flush. An error here is ignored: the save itself reports it.
  ///
  /// - Parameter size: The size of the file.
  func makeRoom(behind size: Int) {
    var information = MDB_envinfo()
    var statistics = MDB_stat()
    var file: mdb_filehandle_t = -1
    guard let handle, mdb_env_info(handle, &information) == MDB_SUCCESS,
      mdb_env_stat(handle, &statistics) == MDB_SUCCESS,
      mdb_env_get_fd(handle, &file) == MDB_SUCCESS
    else { return }
    let used = (Int(clamping: information.me_last_pgno) + 1) * Int(statistics.ms_psize)
    let room = min(max(used / 16, Self.leastRoom), Self.mostRoom)
    let target = min(used + room, Int(clamping: information.me_mapsize))
    guard size < used + Self.littleRoom, size < target, mayHave(target) else { return }
    let zeros = [UInt8](repeating: 0, count: Self.littleRoom)
    var start = max(size, used)
    while start < target {
      let count = pwrite(file, zeros, min(zeros.count, target - start), off_t(start))
      guard count > 0 else { return }
      start += count
    }
  }

  private static let leastRoom = 256 << 10
  private static let mostRoom = 1 << 20

  /// Copies the current state of the file, without free pages.
  func copy(to descriptor: Int32) throws {
    try checkProcess()
    gate.enter()
    defer { gate.leave() }
    for _ in 0..<Self.attempts {
      let code = mdb_env_copyfd2(try usableHandle(), descriptor, UInt32(MDB_CP_COMPACT))
      // Both are found before anything is written.
      switch code {
      case MDB_MAP_RESIZED: try adoptSize()
      case MDB_PANIC: try reopenIfNeeded()
      default: return try LMDBError.check(code, "copy the file")
      }
    }
    throw PersistenceError(.storeBusy, "The file grows faster than it can be copied.")
  }
}
