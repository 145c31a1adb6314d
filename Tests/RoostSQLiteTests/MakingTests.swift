// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Testing

@testable import RoostSQLite

/// Tests of a new file that several connections create at once.
@Suite struct MakingTests {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "roost-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  @Test("a file that was filled between two looks at it is a store, no other program's (hazard 35)")
  func filledMeanwhile() throws {
    let location = try SQLiteLocation(folder.appending(path: "store"))
    // The mark is 0 when it is read first, and the file is not empty by the time that is asked.
    let other = try SQLiteConnection(location, access: .create, timeout: 1)
    let connection = try SQLiteConnection(location, access: .create, timeout: 1)
    try SQLiteFile.requireMark(connection) { try SQLiteFile.make(other) }
    #expect(try SQLiteFile.application(connection) == SQLiteFile.applicationID)
  }

  @Test("many that make one new file at once all open the same store (hazard 35)")
  func atOnce() throws {
    for round in 0..<40 {
      let description = PersistentStoreDescription.sqlite(
        at: folder.appending(path: "store-\(round)"))
      let outcomes = SharedState<[Result<String, any Error>]>([])
      DispatchQueue.concurrentPerform(iterations: 4) { number in
        let outcome = Result {
          if number == 3 {
            // A reader of the metadata finds no store, or the one that is being created.
            return try description.type.driver.metadata(of: description)?.identifier ?? ""
          }
          let store = try description.type.driver.open(description)
          defer { store.close() }
          return store.identity.identifier
        }
        outcomes.withLock { $0.append(outcome) }
      }
      let identifiers = try outcomes.withLock { try $0.map { try $0.get() } }
      #expect(Set(identifiers).subtracting([""]).count == 1)
    }
  }

  @Test("an empty file has no metadata, and cannot be opened for reading only (B322)")
  func emptyFile() throws {
    let url = folder.appending(path: "store")
    try Data().write(to: url)
    var description = PersistentStoreDescription.sqlite(at: url)
    #expect(try description.type.driver.metadata(of: description) == nil)
    description.isReadOnly = true
    #expect(throws: PersistenceError(.persistentStoreOpen, "")) {
      _ = try description.type.driver.open(description)
    }
    #expect(try Data(contentsOf: url).isEmpty)
  }
}
