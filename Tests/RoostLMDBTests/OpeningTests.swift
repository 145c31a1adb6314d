// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Synchronization
import TestWaiting
import Testing

@testable import RoostLMDB

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// Tests of opening a locked file: it waits for the holder of the lock, and blocks only other openings of the same
/// file.
@Suite(.serialized) struct OpeningTests {
  /// A lock that another process has on a file while it removes or replaces it.
  private struct Lock {
    private let descriptor: Int32

    init(_ path: String) throws {
      descriptor = open(path, O_RDONLY | O_CLOEXEC)
      try #require(descriptor >= 0 && flock(descriptor, LOCK_EX | LOCK_NB) == 0)
    }

    func release() {
      close(descriptor)
    }
  }

  @Test("a store whose file is locked keeps nobody from opening and closing another one (F15)")
  func otherFile() throws {
    let (locked, other) = (try Depot { $0.timeout = 60 }, try Depot())
    locked.store.close()
    let lock = try Lock(locked.path)
    let files = OpenEnvironments()
    let opened = Mutex<LMDBEnvironment?>(nil)
    let location = try LMDBLocation(locked.description.url)
    let settings = try LMDBSettings(locked.description)
    let group = DispatchGroup()
    group.enter()
    Thread.detachNewThread {
      let environment = try? files.open(location, settings)
      opened.withLock { $0 = environment }
      group.leave()
    }
    // The thread has found the file, and waits for the lock.
    try waitUntil(files.claimCount == 2)
    other.store.close()
    let second = try files.open(
      LMDBLocation(other.description.url), LMDBSettings(other.description))
    files.release(second)
    #expect(opened.withLock { $0 } == nil, "the locked file is not open yet")
    lock.release()
    group.wait()
    let first = try #require(opened.withLock { $0 })
    files.release(first)
    #expect(files.claimCount == 0)
    try locked.reopen()
    try other.reopen()
  }

  @Test(
    "threads that open and close one file at once share it, and it is closed after the last one")
  func sameFile() throws {
    let depot = try Depot { $0.timeout = 60 }
    depot.store.close()
    let files = OpenEnvironments()
    let location = try LMDBLocation(depot.description.url)
    let settings = try LMDBSettings(depot.description)
    let failures = Mutex<[String]>([])
    let group = DispatchGroup()
    for _ in 0..<8 {
      group.enter()
      Thread.detachNewThread {
        do {
          for _ in 0..<25 {
            let environment = try files.open(location, settings)
            _ = try environment.lastTransaction {}
            files.release(environment)
          }
        } catch {
          failures.withLock { $0.append("\(error)") }
        }
        group.leave()
      }
    }
    group.wait()
    #expect(failures.withLock { $0 } == [])
    #expect(files.claimCount == 0)
    try depot.reopen()
    try depot.insert(["after"])
    #expect(try depot.names() == ["after"])
  }
}
