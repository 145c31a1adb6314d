// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import TestFolders
import Testing

@testable import RoostLMDB

#if os(Linux)
/// Tests that an old lock file is removed before a new data file is created: two lock files of one data file would
/// let two processes write at once.
@Suite struct LockFileTests {
  @Test("a lock file that was left goes before a new store has its name")
  func creation() throws {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "roost-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    try Data(count: 64).write(to: folder.appending(path: "store-lock"))
    let watch = FolderWatch(folder)
    try DepotModel().open(.lmdb(at: folder.appending(path: "store"))).close()
    let names = watch.changes().filter { !$0.hasPrefix(".") }
    #expect(names == ["store-lock", "store"])
  }

  @Test("a store is destroyed with its lock file first (B239)")
  func destruction() throws {
    let depot = try Depot()
    depot.store.close()
    let watch = FolderWatch(depot.folder)
    let steps = SharedState<[DurableFiles.Step]>([])
    try DurableFiles.$recorder.withValue({ step in steps.withLock { $0.append(step) } }) {
      try depot.description.type.driver.destroy(depot.description)
    }
    #expect(watch.changes() == ["depot.lmdb-lock"])
    // Durable when the call returns (B367).
    #expect(
      steps.withLock { $0 } == [
        .remove("depot.lmdb-lock"), .empty("depot.lmdb"), .synchronizeFile("depot.lmdb"),
        .synchronizeFolder,
      ])
  }

  @Test("a store is replaced after its lock file has gone (B240)")
  func replacement() throws {
    let depot = try Depot()
    let other = try Depot()
    try other.insert(["a"])
    depot.store.close()
    other.store.close()
    let watch = FolderWatch(depot.folder)
    try depot.description.type.driver.replace(depot.description, with: other.description)
    let names = watch.changes().filter { !$0.hasPrefix(".") }
    #expect(names == ["depot.lmdb-lock", "depot.lmdb"])
    try depot.reopen()
    #expect(try depot.names() == ["a"])
  }

  @Test(
    "a store is not destroyed or replaced while somebody makes files in its folder (B239, B240)")
  func folderLock() throws {
    let depot = try Depot()
    depot.store.close()
    let other = try Depot()
    var description = depot.description
    description.timeout = 0.05
    let driver = description.type.driver
    try LMDBLocation(description.url).withFolderLocked(timeout: 1) {
      #expect(errorCode { try driver.destroy(description) } == .storeBusy)
      #expect(errorCode { try driver.replace(description, with: other.description) } == .storeBusy)
    }
    try driver.destroy(description)
    #expect(try Data(contentsOf: URL(filePath: depot.path)).isEmpty)
  }

  @Test("no store is made in a folder in which nothing can be made, and the error says so (B322)")
  func makingWithoutRights() throws {
    let folder = FileManager.default.temporaryDirectory.appending(
      path: "roost-\(UUID().uuidString)")
    try FileManager.default.createDirectory(
      at: folder, withIntermediateDirectories: true, attributes: [.posixPermissions: 0o755])
    defer { try? FileManager.default.removeItem(at: folder) }
    let description = PersistentStoreDescription.lmdb(at: folder.appending(path: "store"))
    try withoutRights(to: folder) {
      #expect(
        errorCode { _ = try description.type.driver.open(description) } == .persistentStoreOpen)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
    try description.type.driver.open(description).close()
  }

  @Test("a store is not opened for writing where nothing can be made, and stays as it is (B236)")
  func writingWithoutRights() throws {
    let depot = try Depot()
    try depot.insert(["a"])
    depot.store.close()
    try? FileManager.default.removeItem(atPath: depot.path + "-lock")
    for (file, mode) in [(depot.folder.path, 0o755), (depot.path, 0o644)] {
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
    }
    let before = try Data(contentsOf: URL(filePath: depot.path))
    let names = try FileManager.default.contentsOfDirectory(atPath: depot.folder.path)
    try withoutRights(to: depot.folder) {
      #expect(errorCode { _ = try depot.second() } == .persistentStoreOpen)
    }
    #expect(try Data(contentsOf: URL(filePath: depot.path)) == before)
    #expect(try FileManager.default.contentsOfDirectory(atPath: depot.folder.path) == names)
    try depot.reopen()
    #expect(try depot.names() == ["a"])
  }

  @Test("a file that could only be opened without locks is not read after it was written (B236)")
  func withoutLocks() throws {
    let depot = try Depot()
    try depot.insert(["a"])
    depot.store.close()
    for (file, mode) in [(depot.folder.path, 0o755), (depot.path, 0o644)] {
      try FileManager.default.setAttributes([.posixPermissions: mode], ofItemAtPath: file)
    }
    try FileManager.default.removeItem(atPath: depot.path + "-lock")
    let reader = try withoutRights(to: depot.folder) {
      try depot.second { $0.isReadOnly = true }
    }
    #expect(!FileManager.default.fileExists(atPath: depot.path + "-lock"))
    #expect(try depot.names(in: reader) == ["a"])
    RawEnvironment(path: depot.path).put([1], [2], in: "somebody")
    #expect(errorCode { _ = try depot.names(in: reader) } == .storeBusy)
    // The change is decisive, not whether another process may still write.
    try FileManager.default.removeItem(atPath: depot.path + "-lock")
    #expect(errorCode { _ = try depot.names(in: reader) } == .storeBusy)
    reader.close()
    try depot.reopen()
    #expect(try depot.names() == ["a"])
  }
}
#endif
