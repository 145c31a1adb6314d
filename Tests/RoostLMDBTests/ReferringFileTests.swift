// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostLMDB
import RoostModel
import RoostStore
import Testing

@Suite struct ReferringFileTests {
  @Test("a file that refers to other stores has a format that an earlier version refuses (X41)")
  func referring() throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "roost-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let photo = EntityDescription(name: "Photo")
    let album = RelationshipDescription(name: "album", destination: photo, maxCount: 1)
    album.mayCrossStores = true
    photo.properties = [album]
    let model = ManagedObjectModel(entities: [photo])
    try model.freeze()
    let url = folder.appending(path: "store.lmdb")
    func open() throws -> any PersistentStore {
      let description = PersistentStoreDescription.lmdb(at: url)
      let store = try description.type.driver.open(description)
      var metadata = store.metadata
      metadata.entityCodes = ["Photo": 1]
      try store.prepare(
        StoreSchema(
          identity: store.identity, model: model, entities: model.entities,
          linkTables: model.linkTables, codes: ["Photo": 1]), metadata: metadata)
      return store
    }
    func format() -> String {
      var text = ""
      RawEnvironment(path: url.path).change(Array("format".utf8), in: "blobs") {
        text = String(decoding: $0, as: UTF8.self)
      }
      return text
    }
    var store = try open()
    let reference = ForeignReference(store: "A", key: 4_097, entity: "Photo")
    store.close()
    #expect(format() == "Roost 1")
    store = try open()
    #expect(try store.foreignReferences?.intern([reference]) == [1])
    store.close()
    #expect(format() == "Roost 2")
    store = try open()
    #expect(try store.foreignReferences?.numbers(of: [reference]) == [1])
    store.close()
    RawEnvironment(path: url.path).put(
      Array("format".utf8), Array("Roost 3".utf8), in: "blobs")
    #expect(errorCode { _ = try open() } == .persistentStoreOpen)
  }
}
