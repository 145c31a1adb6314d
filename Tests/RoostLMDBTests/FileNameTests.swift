// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Testing

@testable import RoostLMDB

/// Tests of files with several names, and of the places of readers.
@Suite struct FileNameTests {
  @Test(
    "the lock lies beside the file itself, also when the first to open it uses a link (hazard 35)")
  func link() throws {
    let depot = try Depot()
    try depot.insert(["a"])
    depot.store.close()
    try FileManager.default.removeItem(atPath: depot.path + "-lock")
    let other = depot.folder.appending(path: "other")
    try FileManager.default.createDirectory(at: other, withIntermediateDirectories: true)
    let link = other.appending(path: "link")
    try FileManager.default.createSymbolicLink(
      at: link, withDestinationURL: URL(filePath: depot.path))
    let store = try depot.second { $0.url = link }
    defer { store.close() }
    #expect(try depot.names(in: store) == ["a"])
    #expect(FileManager.default.fileExists(atPath: depot.path + "-lock"))
    #expect(try FileManager.default.contentsOfDirectory(atPath: other.path) == ["link"])
  }

  @Test("a link to a file that is not there makes the file where it leads")
  func danglingLink() throws {
    let depot = try Depot()
    let link = depot.folder.appending(path: "link")
    try FileManager.default.createSymbolicLink(
      atPath: link.path, withDestinationPath: "target.lmdb")
    let store = try depot.second { $0.url = link }
    store.close()
    let target = depot.folder.appending(path: "target.lmdb").path
    #expect(FileManager.default.fileExists(atPath: target))
    #expect(try FileManager.default.destinationOfSymbolicLink(atPath: link.path) == "target.lmdb")
  }

  @Test("a file with two names is refused: each name would have locks of its own")
  func hardLink() throws {
    let depot = try Depot()
    try depot.insert(["a"])
    depot.store.close()
    let second = depot.folder.appending(path: "second").path
    try FileManager.default.linkItem(atPath: depot.path, toPath: second)
    for path in [depot.path, second] {
      let error = #expect(throws: PersistenceError.self) {
        try depot.second { $0.url = URL(filePath: path) }
      }
      #expect(error?.code == .persistentStoreOpen)
    }
    try FileManager.default.removeItem(atPath: second)
    try depot.reopen()
    #expect(try depot.names() == ["a"])
  }

  @Test("a folder beside a new store that only begins like a temporary one is left alone")
  func similarFolder() throws {
    let depot = try Depot()
    let folder = depot.folder.appending(path: ".new.lmdb.roost-mine")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    try depot.second { $0.url = depot.folder.appending(path: "new.lmdb") }.close()
    #expect(FileManager.default.fileExists(atPath: folder.path))
  }

  @Test("readers that are idle leave most places to other processes")
  func idleReaders() throws {
    let depot = try Depot()
    let environment = try OpenEnvironments.shared.open(
      LMDBLocation(depot.description.url), LMDBSettings(depot.description))
    defer { OpenEnvironments.shared.release(environment) }
    let readers = try (0..<4 * LMDBEnvironment.idleLimit).map { _ in
      try environment.takeReader {}.reader
    }
    for reader in readers { environment.giveBack(reader) }
    #expect(environment.idle.withLock { $0.count } <= LMDBEnvironment.idleLimit)
    #expect(try depot.names().isEmpty)
  }
}
