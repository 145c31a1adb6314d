// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostLMDB
import RoostModel
import RoostStore
import Testing

@Suite struct FileTests {
  private let folder: URL
  private let driver = PersistentStoreType.lmdb.driver

  init() throws {
    folder = FileManager.default.temporaryDirectory.appending(path: "roost-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
  }

  private func open(_ url: URL, readOnly: Bool = false) throws -> any PersistentStore {
    var description = PersistentStoreDescription.lmdb(at: url)
    description.isReadOnly = readOnly
    description.timeout = 0.2
    return try DepotModel().open(description)
  }

  private func content() throws -> Set<String> {
    Set(try FileManager.default.contentsOfDirectory(atPath: folder.path))
  }

  @Test("a file of another kind is refused and left as it is (B241)")
  func foreignFiles() throws {
    let text = folder.appending(path: "text")
    try Data("This is no database, but a letter of more than a hundred bytes, ".utf8)
      .write(to: text)
    let zeros = folder.appending(path: "zeros")
    try Data(count: 65_536).write(to: zeros)
    let other = folder.appending(path: "other")
    RawEnvironment(path: other.path).put([1], [2], in: "somebody")
    for url in [text, zeros, other] {
      let before = try Data(contentsOf: url)
      let description = PersistentStoreDescription.lmdb(at: url)
      for readOnly in [false, true] {
        #expect(
          errorCode { _ = try open(url, readOnly: readOnly) } == .persistentStoreTypeMismatch,
          "\(url)")
      }
      #expect(
        errorCode { _ = try driver.metadata(of: description) } == .persistentStoreTypeMismatch)
      #expect(errorCode { try driver.destroy(description) } == .persistentStoreTypeMismatch)
      #expect(try Data(contentsOf: url) == before)
    }
  }

  @Test("a truncated file is refused before it is mapped, and can still be removed (B241)")
  func truncated() throws {
    let depot = try Depot()
    try depot.insert((0..<500).map { "thing \($0)" }, payload: 100)
    depot.store.close()
    // The bytes after the last page are zeros, reserved for later pages: removing them loses nothing.
    let file = try Data(contentsOf: URL(filePath: depot.path))
    let page = sysconf(Int32(_SC_PAGESIZE))
    let whole = file.prefix(((file.lastIndex { $0 != 0 } ?? 0) / page + 1) * page)
    for length in stride(from: 4096, to: whole.count, by: 4096 * 3) {
      try whole.prefix(length).write(to: URL(filePath: depot.path))
      let code = errorCode { _ = try depot.second() }
      #expect(code == .corruptStore || length < 8192, "\(length): \(String(describing: code))")
      #expect(code != nil)
    }
    try whole.write(to: URL(filePath: depot.path))
    try depot.reopen()
    #expect(try depot.names().count == 500)
    depot.store.close()
    try whole.prefix(whole.count - 4096).write(to: URL(filePath: depot.path))
    try driver.destroy(depot.description)
    #expect(try Data(contentsOf: URL(filePath: depot.path)).isEmpty)
  }

  @Test("a file of a newer format is refused (B241)")
  func newerFormat() throws {
    let url = folder.appending(path: "store")
    try open(url).close()
    RawEnvironment(path: url.path).put(Array("format".utf8), Array("Roost 3".utf8), in: "blobs")
    #expect(errorCode { _ = try open(url) } == .persistentStoreOpen)
    RawEnvironment(path: url.path).put(Array("format".utf8), Array("Roost x".utf8), in: "blobs")
    #expect(errorCode { _ = try open(url) } == .persistentStoreTypeMismatch)
  }

  @Test("an empty file is a new store (B322)")
  func emptyFile() throws {
    let url = folder.appending(path: "store")
    try Data().write(to: url)
    #expect(try driver.metadata(of: .lmdb(at: url)) == nil)
    let store = try open(url)
    #expect(UUID(uuidString: store.metadata.identifier) != nil)
    store.close()
  }

  @Test("every character of a path stands for itself")
  func paths() throws {
    let names = ["a?mode=memory", "a#b", "a%20b", "a b", "ä'\"", ":memory:", "file:x", "a;b"]
    for name in names { try open(folder.appending(path: name)).close() }
    #expect(try content() == Set(names + names.map { $0 + "-lock" }))
  }

  @Test("what cannot be a file is refused: other schemes, a folder, a missing folder")
  func impossiblePlaces() throws {
    let http = try #require(URL(string: "https://a.example/store"))
    #expect(errorCode { _ = try open(http) } == .persistentStoreOpen)
    #expect(errorCode { _ = try driver.open(.init(type: .lmdb)) } == .persistentStoreOpen)
    #expect(errorCode { _ = try open(folder) } == .persistentStoreOpen)
    #expect(errorCode { _ = try open(folder.appending(path: "no/store")) } == .persistentStoreOpen)
    #expect(
      errorCode { _ = try open(folder.appending(path: "none"), readOnly: true) }
        == .persistentStoreOpen)
    #expect(errorCode { _ = try open(URL(filePath: "/dev/null")) } == .persistentStoreOpen)
    #expect(try content().isEmpty)
  }

  @Test("only the owner can read the file and its lock file, and nothing else is left of making it")
  func permissions() throws {
    let store = try open(folder.appending(path: "store"))
    let files = try content()
    #expect(files == ["store", "store-lock"])
    for file in files {
      let attributes = try FileManager.default.attributesOfItem(
        atPath: folder.appending(path: file).path)
      #expect(attributes[.posixPermissions] as? Int == 0o600, "\(file)")
    }
    store.close()
  }

  @Test("what a process left that was killed while it made the file is removed by the next one")
  func abandoned() throws {
    let left = folder.appending(path: ".store.roost-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: left, withIntermediateDirectories: true)
    try Data(count: 10).write(to: left.appending(path: "data"))
    let other = folder.appending(path: ".other.roost-1")
    try Data().write(to: other)
    try open(folder.appending(path: "store")).close()
    #expect(try content() == ["store", "store-lock", ".other.roost-1"])
  }

  @Test("two that open a new store at once get the same one")
  func creationRace() async throws {
    let url = folder.appending(path: "store")
    let identifiers = try await withThrowingTaskGroup(of: String.self) { group in
      for _ in 0..<8 {
        group.addTask {
          let store = try DepotModel().open(.lmdb(at: url))
          defer { store.close() }
          return store.metadata.identifier
        }
      }
      return try await group.reduce(into: Set<String>()) { $0.insert($1) }
    }
    #expect(identifiers.count == 1)
  }

  @Test("metadata is read and written without opening the store for use (B245)")
  func metadata() throws {
    let depot = try Depot()
    let identifier = depot.store.metadata.identifier
    depot.store.close()
    var metadata = try #require(try driver.metadata(of: depot.description))
    #expect(metadata.identifier == identifier)
    metadata.userValues["note"] = .string("é'\"")
    try driver.setMetadata(metadata, of: depot.description)
    try depot.reopen()
    #expect(depot.store.metadata.userValues["note"] == .string("é'\""))
    let none = PersistentStoreDescription.lmdb(at: depot.folder.appending(path: "none"))
    #expect(try driver.metadata(of: none) == nil)
    #expect(errorCode { try driver.setMetadata(metadata, of: none) } == .persistentStoreOpen)
    metadata.entityCodes["Thing"] = 77
    #expect(errorCode { try driver.setMetadata(metadata, of: depot.description) } == .invalidValue)
  }

  @Test("a read-only store is read, and refuses to be written (B236)")
  func readOnly() throws {
    let depot = try Depot()
    try depot.insert(["a"])
    let new = try depot.rows(["b"])
    let store = try depot.second { $0.isReadOnly = true }
    #expect(try depot.names(in: store) == ["a"])
    #expect(
      errorCode { _ = try store.commit(StoreChangeSet(inserted: new)) } == .readOnlyStore)
    #expect(errorCode { _ = try store.reserveSequences(1) } == .readOnlyStore)
    // It sees the commits of the other store.
    _ = try depot.store.commit(StoreChangeSet(inserted: new))
    #expect(try depot.names(in: store) == ["a", "b"])
    store.close()
  }

  @Test("a store that is open is not destroyed or replaced unless forced (B239, B240)")
  func destroyAndReplace() throws {
    let depot = try Depot()
    try depot.insert(["a"])
    let other = PersistentStoreDescription.lmdb(at: depot.folder.appending(path: "other"))
    #expect(errorCode { try driver.destroy(depot.description) } == .storeBusy)
    #expect(
      errorCode { try driver.replace(depot.description, with: depot.description) }
        == .persistentStoreOperation)
    try driver.replace(other, with: depot.description)
    let copy = try depot.model.open(other)
    #expect(try depot.names(in: copy) == ["a"])
    #expect(copy.metadata.identifier == depot.store.metadata.identifier)
    #expect(errorCode { try driver.replace(other, with: depot.description) } == .storeBusy)
    copy.close()
    try depot.insert(["b"])
    try driver.replace(other, with: depot.description)
    let attributes = try FileManager.default.attributesOfItem(atPath: other.url?.path ?? "")
    #expect(attributes[.posixPermissions] as? Int == 0o600)
    depot.store.close()
    try driver.destroy(depot.description)
    try driver.destroy(depot.description)
    let again = try depot.model.open(other)
    #expect(try depot.names(in: again) == ["a", "b"])
    var forced = other
    forced.options[StoreOption.forceDestroy] = .boolean(true)
    try driver.destroy(forced)
    #expect(errorCode { _ = try again.reserveSequences(1) } == .persistentStoreOperation)
    again.close()
    for name in try FileManager.default.contentsOfDirectory(atPath: depot.folder.path) {
      #expect(try Data(contentsOf: depot.folder.appending(path: name)).isEmpty, "\(name)")
    }
  }

  @Test("a file that was moved under an open store is noticed before it is written")
  func moved() throws {
    let depot = try Depot()
    try depot.insert(["a"])
    try FileManager.default.moveItem(
      atPath: depot.path, toPath: depot.folder.appending(path: "elsewhere").path)
    #expect(errorCode { try depot.insert(["b"]) } == .persistentStoreOperation)
    #expect(try depot.names() == ["a"])
  }

  @Test("a store that was closed refuses every request (B235)")
  func closed() throws {
    let depot = try Depot()
    depot.store.close()
    depot.store.close()
    #expect(errorCode { _ = try depot.names() } == .storeRemoved)
    #expect(errorCode { _ = try depot.store.reserveSequences(1) } == .storeRemoved)
    #expect(errorCode { _ = try depot.store.commit(StoreChangeSet()) } == .storeRemoved)
  }

  @Test("options that say nothing sensible are refused")
  func options() throws {
    let url = folder.appending(path: "store")
    for (name, value) in [
      (LMDBOption.durability, MetadataValue.string("none")), (LMDBOption.maximumSize, .integer(7)),
      (LMDBOption.initialSize, .string("1")),
    ] {
      var description = PersistentStoreDescription.lmdb(at: url)
      description.options[name] = value
      #expect(errorCode { _ = try driver.open(description) } == .persistentStoreOpen, "\(name)")
    }
    let relaxed = PersistentStoreDescription.lmdb(
      at: url, durability: .processDeathButMayLoseLastSaveOnPowerLoss)
    try DepotModel().open(relaxed).close()
  }
}
