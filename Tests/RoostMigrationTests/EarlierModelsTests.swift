// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostModel
import RoostObjects
import RoostStore
import Testing

@testable import RoostCoordinator
@testable import RoostMigration

/// Tests of finding the model of a store that does not keep it.
@Suite struct EarlierModelsTests {
  let folder: TestFolder

  init() throws { folder = try TestFolder() }

  /// Writes a lock file with the first two versions.
  private func lock(_ name: String = "People.roostlock") throws -> URL {
    let url = folder.url.appending(path: name)
    for version in 1...2 {
      try ModelLock.write(Versions.model(version), to: url)
      try ModelLock.release("\(version)", at: url)
    }
    return url
  }

  @Test("the versions of lock files are found, at their places and in folders (M7)")
  func places() throws {
    let lock = try lock()
    for place in [lock, folder.url] {
      let found = try EarlierModels([place]).map(\.versionChecksum)
      #expect(found == [Versions.checksum(2), Versions.checksum(1)])
    }
    // An unreadable file has no model; another file may have the model.
    let damaged = folder.url.appending(path: "A.roostlock")
    try Data("{".utf8).write(to: damaged)
    #expect(try EarlierModels([damaged, lock]).map(\.versionChecksum).count == 2)
  }

  @Test("a place where no model can be is refused (M7)")
  func nothing() throws {
    let text = folder.url.appending(path: "a.txt")
    try Data().write(to: text)
    for place in [text, folder.url.appending(path: "none.roostlock")] {
      #expect(throws: PersistenceError(.invalidModel, "")) { try EarlierModels([place]) }
    }
  }

  @Test("the models of the migration come before those of the places, which are not read then (M7)")
  func order() throws {
    var metadata = StoreMetadata(storeType: "SQLite")
    metadata.entityVersionHashes = Versions.model(1).entityVersionHashesByName
    let wrong = [folder.url.appending(path: "none.roostlock")]
    let named = CustomMigration([], from: [Versions.model(1)])
    let first = try SourceModel(metadata: metadata, migration: named, places: wrong).find(nil)
    #expect(first.versionChecksum == Versions.checksum(1))
    #expect(throws: PersistenceError(.invalidModel, "")) {
      try SourceModel(metadata: metadata, migration: nil, places: wrong).find(nil)
    }
    let lock = try lock()
    let locked = try SourceModel(metadata: metadata, migration: nil, places: [lock]).find(nil)
    #expect(locked.versionChecksum == Versions.checksum(1))
    // A text in the store that is damaged or of another model does not prevent the search.
    let text = try CanonicalModel(Versions.model(2)).bytes
    for bytes in [text, Array(text.dropLast(9))] {
      let kept = KeptText(bytes: bytes)
      let found = try SourceModel(metadata: metadata, migration: named, places: []).find(kept)
      #expect(found.versionChecksum == Versions.checksum(1))
      let far = try SourceModel(metadata: metadata, migration: nil, places: [lock]).find(kept)
      #expect(far.versionChecksum == Versions.checksum(1))
    }
    let mismatch = #expect(throws: PersistenceError.self) {
      try SourceModel(metadata: metadata, migration: nil, places: []).find(KeptText(bytes: text))
    }
    #expect(mismatch?.code == .migrationMissingSourceModel)
    #expect(mismatch?.message.contains("earlierModels") == true)
    #expect(throws: PersistenceError(.corruptStore, "")) {
      try SourceModel(metadata: metadata, migration: nil, places: [])
        .find(KeptText(bytes: Array(text.dropLast(9))))
    }
    var other = metadata
    other.entityVersionHashes = Versions.model(4).entityVersionHashesByName
    #expect(throws: PersistenceError(.migrationMissingSourceModel, "")) {
      try SourceModel(metadata: other, migration: nil, places: [folder.url]).find(nil)
    }
  }
}

/// A store evolution that only returns the kept text of the model.
private struct KeptText: StoreEvolution {
  let bytes: [UInt8]

  func storedModel() throws -> [UInt8]? { bytes }
  func steps(of change: SchemaChange) throws -> [MigrationPlan.Step] { [] }
  func evolve(
    _ change: SchemaChange, to metadata: StoreMetadata, reporter: MigrationReporter
  ) throws -> Bool { false }
}
