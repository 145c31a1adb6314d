// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostSQLite
import RoostStore
import Testing

@Suite struct FileTests {
  private let folder: URL

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "roost-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private func open(_ url: URL, readOnly: Bool = false) throws -> any PersistentStore {
    var description = PersistentStoreDescription.sqlite(at: url)
    description.isReadOnly = readOnly
    description.timeout = 0.2
    return try Office.open(description, OfficeModel())
  }

  private func code(_ body: () throws -> Void) -> PersistenceError.Code? {
    do {
      try body()
      return nil
    } catch let error as PersistenceError {
      return error.code
    } catch {
      return PersistenceError.Code(rawValue: -1)
    }
  }

  @Test("a file of another kind is refused and left as it is (B241)")
  func foreignFiles() throws {
    let text = folder.appending(path: "text")
    try Data("This is no database, but a letter of more than a hundred bytes, ".utf8)
      .write(to: text)
    let other = folder.appending(path: "other")
    RawDatabase(other).run("CREATE TABLE t (a); INSERT INTO t VALUES (1)")
    let tagged = folder.appending(path: "tagged")
    RawDatabase(tagged).run("PRAGMA application_id = 7")
    for url in [text, other, tagged] {
      let before = try Data(contentsOf: url)
      for readOnly in [false, true] {
        #expect(
          code { _ = try open(url, readOnly: readOnly) } == .persistentStoreTypeMismatch, "\(url)")
      }
      let driver = PersistentStoreType.sqlite.driver
      let description = PersistentStoreDescription.sqlite(at: url)
      #expect(code { _ = try driver.metadata(of: description) } == .persistentStoreTypeMismatch)
      #expect(code { try driver.destroy(description) } == .persistentStoreTypeMismatch)
      #expect(try Data(contentsOf: url) == before)
    }
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).count == 3)
  }

  @Test("a file of a newer format is refused (B241)")
  func newerFormat() throws {
    let url = folder.appending(path: "store")
    try open(url).close()
    RawDatabase(url).run("PRAGMA user_version = 99")
    #expect(code { _ = try open(url) } == .persistentStoreOpen)
  }

  @Test("a file that refers to other stores has a format that an earlier version refuses (X41)")
  func referring() throws {
    let url = folder.appending(path: "store")
    let store = try open(url)
    let other = try open(url)
    let format = "SELECT user_version & 255 FROM pragma_user_version"
    #expect(RawDatabase(url).text(format) == "1")
    let references = [
      ForeignReference(store: "A", key: 4_097, entity: "Album"),
      ForeignReference(store: "B", key: 4_097, entity: "Album"),
      ForeignReference(store: "A", key: 8_193, entity: "Album"),
    ]
    let numbers = try #require(try store.foreignReferences?.intern(references))
    #expect(RawDatabase(url).text(format) == "2")
    // The store that had the file open continues, and finds the same numbers.
    #expect(try other.foreignReferences?.intern(references) == numbers)
    #expect(try other.foreignReferences?.numbers(of: references.reversed()) == numbers.reversed())
    #expect(try other.foreignReferences?.intern([references[0], references[0]]).count == 2)
    store.close()
    other.close()
    try open(url).close()
  }

  @Test("an empty file is a new store (B322)")
  func emptyFile() throws {
    let url = folder.appending(path: "store")
    try Data().write(to: url)
    let store = try open(url)
    #expect(UUID(uuidString: store.metadata.identifier) != nil)
    store.close()
  }

  @Test("every character of a path stands for itself")
  func paths() throws {
    let names = ["a?mode=memory", "a#b", "a%20b", "a b", "ä'\"", ":memory:", "file:x", "a;b"]
    for name in names {
      let url = folder.appending(path: name)
      try open(url).close()
      #expect(FileManager.default.fileExists(atPath: url.path), "\(name)")
    }
    let found = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(Set(found) == Set(names))
  }

  @Test("what cannot be a file is refused: other schemes, NUL, a folder, a missing folder")
  func impossiblePlaces() throws {
    let http = try #require(URL(string: "https://a.example/store"))
    #expect(code { _ = try open(http) } == .persistentStoreOpen)
    #expect(
      code { _ = try PersistentStoreType.sqlite.driver.open(.init(type: .sqlite)) }
        == .persistentStoreOpen)
    #expect(code { _ = try open(folder) } == .persistentStoreOpen)
    #expect(code { _ = try open(folder.appending(path: "no/store")) } == .persistentStoreOpen)
    #expect(
      code { _ = try open(folder.appending(path: "none"), readOnly: true) } == .persistentStoreOpen)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path).isEmpty)
  }

  @Test("only the owner can read the file and what lies beside it")
  func permissions() throws {
    let url = folder.appending(path: "store")
    let store = try open(url)
    let files = try FileManager.default.contentsOfDirectory(atPath: folder.path)
    #expect(files.count > 1)
    for file in files {
      let attributes = try FileManager.default.attributesOfItem(
        atPath: folder.appending(path: file).path)
      #expect(attributes[.posixPermissions] as? Int == 0o600, "\(file)")
    }
    store.close()
  }

  @Test("a closed store leaves one file that any copy tool can copy")
  func closing() throws {
    let url = folder.appending(path: "store")
    try open(url).close()
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.path) == ["store"])
  }

  @Test("a store that was closed refuses every request (B235)")
  func closed() throws {
    let office = try Office()
    office.store.close()
    office.store.close()
    #expect(code { _ = try office.all(office.names.person) } == .storeRemoved)
    #expect(code { _ = try office.store.reserveSequences(1) } == .storeRemoved)
    #expect(code { _ = try office.store.commit(StoreChangeSet()) } == .storeRemoved)
  }

  @Test("a file that was moved or replaced under an open store is noticed before it is written")
  func moved() throws {
    let office = try Office()
    let url = try #require(office.description.url)
    try office.insert(office.names.person)
    try FileManager.default.moveItem(at: url, to: office.folder.appending(path: "elsewhere"))
    #expect(
      code { try office.insert(office.names.person) } == .persistentStoreOperation)
  }

  @Test("a store in memory needs no file, and no two share anything")
  func memory() throws {
    let one = try Office(inMemory: true)
    let two = try Office(inMemory: true)
    try one.insert(one.names.person, ["nick": .string("a")])
    #expect(try one.all(one.names.person).map { $0.text("nick") } == ["a"])
    #expect(try two.all(two.names.person).isEmpty)
    #expect(try FileManager.default.contentsOfDirectory(atPath: one.folder.path).isEmpty)
  }

  @Test("a read-only store is read, and refuses to be written (B236)")
  func readOnly() throws {
    let office = try Office()
    let row = try office.insert(office.names.person, ["nick": .string("a")])
    let store = try office.second { $0.isReadOnly = true }
    #expect(try store.rows(forKeys: [row.key]).first?.text("nick") == "a")
    #expect(code { _ = try store.commit(StoreChangeSet(inserted: [row])) } == .readOnlyStore)
    #expect(code { _ = try store.reserveSequences(1) } == .readOnlyStore)
    store.close()
  }

  @Test("a read-only store that lacks the model's tables is refused, not changed")
  func readOnlyOfAnotherModel() throws {
    let url = folder.appending(path: "store")
    let driver = PersistentStoreType.sqlite.driver
    try driver.open(.sqlite(at: url)).close()
    #expect(
      code { _ = try open(url, readOnly: true) } == .persistentStoreIncompatibleSchema)
  }

  @Test("pragmas that durability and safety rest on are refused")
  func pragmas() throws {
    let url = folder.appending(path: "store")
    var description = PersistentStoreDescription.sqlite(at: url)
    let refused = [
      ("synchronous", "OFF"), ("journal_mode", "DELETE"), ("writable_schema", "ON"),
      ("trusted_schema", "1"), ("cache_size", "1; DROP TABLE x"), ("user_version", "7"),
    ]
    for (name, value) in refused {
      description.options = [:]
      description.setValue(value, forPragmaNamed: name)
      #expect(
        code { _ = try description.type.driver.open(description) } == .persistentStoreOpen,
        "\(name)")
    }
    description.options = [:]
    description.setValue("EXTRA", forPragmaNamed: "synchronous")
    description.setValue("8192", forPragmaNamed: "page_size")
    try description.type.driver.open(description).close()
    #expect(RawDatabase(url).text("PRAGMA page_size") == "8192")
  }
}
