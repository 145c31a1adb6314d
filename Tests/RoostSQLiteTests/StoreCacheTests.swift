// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostSQLite
import Testing

/// Tests of the models that Core Data keeps in its stores.
@Suite("Models in Core Data's stores", .enabled(if: CoreDataFiles.arePresent, "no fixtures"))
struct StoreCacheTests {
  @Test("the model of a store has the version hashes that the store's metadata name (I43)")
  func hashes() throws {
    var stores = 0
    for file in try CoreDataFiles.copies() {
      let database = RawDatabase(file)
      guard database.text("SELECT count(*) FROM Z_MODELCACHE") == "1" else { continue }
      let before = try Data(contentsOf: file)
      let model = try ManagedObjectModel(storeCacheOf: file)
      for (entity, hash) in model.entityVersionHashesByName {
        let digits = hash.map { String($0 >> 4, radix: 16) + String($0 & 15, radix: 16) }.joined()
        // The metadata is a property list, which contains the 32 bytes of each hash unencoded.
        let isThere = database.text("SELECT instr(Z_PLIST, x'\(digits)') > 0 FROM Z_METADATA")
        #expect(isThere == "1", "\(entity) of \(file.lastPathComponent)")
      }
      #expect(!model.entities.isEmpty)
      #expect(try Data(contentsOf: file) == before)
      stores += 1
    }
    #expect(stores >= 20)
  }

  @Test("a file that is no store of Core Data's, and one that is not there, are named (I43)")
  func others() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: "roost-\(UUID())")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let file = folder.appending(path: "other.sqlite")
    func code() -> PersistenceError.Code? {
      #expect(throws: PersistenceError.self) { _ = try ManagedObjectModel(storeCacheOf: file) }?
        .code
    }
    #expect(code() == .persistentStoreOpen)
    #expect(!FileManager.default.fileExists(atPath: file.path))
    RawDatabase(file).run("CREATE TABLE t (a)")
    #expect(code() == .persistentStoreTypeMismatch)
    RawDatabase(file).run("CREATE TABLE Z_METADATA (a); CREATE TABLE Z_PRIMARYKEY (a)")
    #expect(code() == .corruptStore)
    RawDatabase(file).run("CREATE TABLE Z_MODELCACHE (Z_CONTENT BLOB)")
    #expect(code() == .corruptStore)
    RawDatabase(file).run("INSERT INTO Z_MODELCACHE VALUES (x'03')")
    #expect(code() == .corruptStore)
  }

  @Test(
    "a model that is damaged or cut off is a typed error, and never ends the program (I43, I44)")
  func damaged() throws {
    let file = try #require(
      try CoreDataFiles.copies().first {
        RawDatabase($0).text("SELECT count(*) FROM Z_MODELCACHE") == "1"
      })
    let size = try #require(
      RawDatabase(file).text("SELECT length(Z_CONTENT) FROM Z_MODELCACHE").flatMap { Int($0) })
    var generator = SystemRandomNumberGenerator()
    RawDatabase(file).run("CREATE TABLE saved AS SELECT Z_CONTENT AS c FROM Z_MODELCACHE")
    for step in 0..<200 {
      let place = Int.random(in: 1...size, using: &generator)
      let middle =
        step.isMultiple(of: 4) ? "" : " || randomblob(1) || substr(c, \(place + 1))"
      RawDatabase(file).run(
        "UPDATE Z_MODELCACHE SET Z_CONTENT = (SELECT substr(c, 1, \(place - 1))\(middle) FROM saved)"
      )
      do {
        _ = try ManagedObjectModel(storeCacheOf: file)
      } catch let error as PersistenceError {
        #expect([.corruptStore, .invalidModel, .limitExceeded].contains(error.code), "\(error)")
      }
    }
  }
}
