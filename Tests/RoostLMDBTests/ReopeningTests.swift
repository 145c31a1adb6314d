// SPDX-License-Identifier: Apache-2.0

#if os(Linux)
import Dispatch
import Foundation
import Glibc
import RoostLMDB
import RoostModel
import RoostQuery
import RoostStore
import Testing

/// Tests of the recovery after a failed write of LMDB's meta page, after which LMDB refuses all requests.
@Suite(.serialized) struct ReopeningTests {
  /// Makes the next write of the meta page fail: LMDB has a separate file descriptor for it, which is replaced by one
  /// of a device that is always full.
  private func breakMetaPages(of path: String) throws {
    let file = URL(filePath: path).resolvingSymlinksInPath().path
    var broken = 0
    for name in try FileManager.default.contentsOfDirectory(atPath: "/proc/self/fd") {
      let link = "/proc/self/fd/\(name)"
      guard let descriptor = Int32(name),
        let target = try? FileManager.default.destinationOfSymbolicLink(atPath: link),
        target == file, fcntl(descriptor, F_GETFL) & O_DSYNC != 0
      else { continue }
      let full = open("/dev/full", O_WRONLY | O_CLOEXEC)
      try #require(full >= 0 && dup2(full, descriptor) == descriptor)
      close(full)
      broken += 1
    }
    try #require(broken == 1)
  }

  @Test("a save that failed where it becomes valid is undone for certain, and the store goes on")
  func failedMetaPage() throws {
    let depot = try Depot()
    try depot.insert(["before"])
    for round in 0..<5 {
      try breakMetaPages(of: depot.path)
      let error = errorCode { try depot.insert(["failed \(round)"]) }
      #expect(
        error == .storeFull || error == .persistentStoreOperation, "\(String(describing: error))")
      let expected = ["before"] + (0..<round).map { "after \($0)" }
      #expect(try depot.names() == expected)
      try depot.insert(["after \(round)"])
      #expect(try depot.names() == expected + ["after \(round)"])
    }
    let names = try depot.names()
    try depot.reopen()
    #expect(try depot.names() == names)
  }

  @Test("after such a failure all stores of the file go on, and tables that were to be made can be")
  func otherStores() throws {
    let depot = try Depot()
    let other = try depot.second()
    defer { other.close() }
    try breakMetaPages(of: depot.path)
    // The first save creates the tables of its records and entries.
    #expect(errorCode { try depot.insert(["failed"]) } != nil)
    #expect(try depot.names(in: other) == [])
    try depot.insert(["first"])
    #expect(try depot.names(in: other) == ["first"])
    #expect(try depot.rows(depot.model.request("name", .equalTo, .string("first"))).count == 1)
  }

  @Test("a reader that stays while the file is opened again sees the state that it began with")
  func concurrentReaders() async throws {
    let depot = try Depot()
    try depot.insert((0..<200).map { "thing \($0)" })
    let store = depot.store
    let model = depot.model
    try await withThrowingTaskGroup(of: Void.self) { group in
      for _ in 0..<3 {
        group.addTask {
          for _ in 0..<100 {
            guard case .rows(let rows) = try store.fetch(model.request()).content else { return }
            #expect(rows.count % 100 == 0)
          }
        }
      }
      for _ in 0..<5 {
        try breakMetaPages(of: depot.path)
        #expect(errorCode { try depot.insert((0..<100).map { "no \($0)" }) } != nil)
      }
      try await group.waitForAll()
    }
    #expect(try depot.names().count == 200)
  }
}
#endif
