// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Testing

@testable import RoostLMDB

/// Tests of files that were renamed while open: writes to them would be lost.
@Suite struct MovedFileTests {
  @Test("what a save looks at says the same of a file as all that the system knows of it")
  func places() throws {
    let depot = try Depot()
    try depot.insert(["a"], payload: 100_000)
    let location = try LMDBLocation(depot.description.url)
    let found = try location.status()
    let (place, status) = try (#require(location.place()), #require(found))
    #expect(place.identity == status.identity)
    #expect(place.size == status.size)
    let other = try Depot()
    #expect(try LMDBLocation(other.description.url).place()?.identity != place.identity)
    let missing = try LMDBLocation(depot.folder.appending(path: "missing"))
    #expect(missing.place() == nil)
  }

  @Test(
    "a store whose file was moved or replaced is not written, and is again when the file is back")
  func moved() throws {
    let depot = try Depot()
    try depot.insert(["a"])
    let rows = try depot.rows(["b"])
    let files = FileManager.default
    let away = depot.path + "-away"
    try files.moveItem(atPath: depot.path, toPath: away)
    let refused = PersistenceError.Code.persistentStoreOperation
    #expect(errorCode { _ = try depot.store.commit(StoreChangeSet(inserted: rows)) } == refused)
    try Data().write(to: URL(filePath: depot.path))
    #expect(errorCode { _ = try depot.store.commit(StoreChangeSet(inserted: rows)) } == refused)
    #expect(try Data(contentsOf: URL(filePath: depot.path)).isEmpty)
    try files.removeItem(atPath: depot.path)
    try files.moveItem(atPath: away, toPath: depot.path)
    _ = try depot.store.commit(StoreChangeSet(inserted: rows))
    try depot.reopen()
    #expect(try depot.names() == ["a", "b"])
  }
}
