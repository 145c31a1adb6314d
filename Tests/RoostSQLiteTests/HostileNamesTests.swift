// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery
import RoostSQLite
import RoostStore
import Testing

@Suite struct HostileNamesTests {
  private static let names = [
    "'", "\"", "\"; DROP TABLE x; --", "select", "ORDER", "order", "日本", "🐦", "a b", "_key",
    "_version", "rowid", "sqlite_master", "9lives", "a/b", "a%2Fb", "Name", "NAME", "_roost_names",
    String(repeating: "x", count: 200), String(repeating: "x", count: 200) + "y", "\u{202E}x",
  ]

  private func model() throws -> ManagedObjectModel {
    let entities = Self.names.map { name in
      let entity = EntityDescription(name: name)
      entity.declaredProperties = Self.names.map { AttributeDescription(name: $0, type: .string) }
      entity.uniquenessConstraints = [[name]]
      entity.indexes = Self.names.map {
        FetchIndexDescription(
          name: $0, elements: [FetchIndexElementDescription(propertyName: $0)])
      }
      return entity
    }
    for (index, entity) in entities.enumerated() {
      let next = RelationshipDescription(
        name: "to " + Self.names[index], destination: entities[(index + 1) % entities.count])
      entity.declaredProperties.append(next)
    }
    let model = ManagedObjectModel(entities: entities)
    try model.freeze()
    return model
  }

  private func open(_ url: URL, _ model: ManagedObjectModel) throws -> any PersistentStore {
    let description = PersistentStoreDescription.sqlite(at: url)
    let store = try description.type.driver.open(description)
    var metadata = store.metadata
    for (index, entity) in model.entities.enumerated() {
      metadata.entityCodes[entity.name ?? ""] = index + 1
    }
    let schema = StoreSchema(
      identity: store.identity, model: model, entities: model.entities,
      linkTables: model.linkTables, codes: metadata.entityCodes)
    try store.prepare(schema, metadata: metadata)
    return store
  }

  @Test("quotes, Unicode, 200 characters and words of SQL are names like all others")
  func hostileNames() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appending(path: "store")
    let model = try model()
    let store = try open(url, model)
    var rows: [Row] = []
    for (index, entity) in model.entities.enumerated() {
      let sequence = try store.reserveSequences(1).lowerBound
      let row = Row(
        layout: entity.layout,
        key: RecordKey.make(sequence: sequence, entityCode: index + 1), version: 1)
      let values = Self.names.map { ($0, Value.string("\(index) " + $0)) }
      rows.append(row.setting(Dictionary(uniqueKeysWithValues: values)))
    }
    guard case .committed = try store.commit(StoreChangeSet(inserted: rows)) else {
      Issue.record("The rows were refused.")
      return
    }
    store.close()
    let again = try open(url, model)
    for (index, entity) in model.entities.enumerated() {
      for name in Self.names {
        let condition = compare(
          entity.path(name), .equalTo, .constant(.string("\(index) " + name)))
        let request = ResolvedFetch(entity: entity, entities: [entity], predicate: condition)
        guard case .rows(let found) = try again.fetch(request).content else {
          Issue.record("The answer has another form.")
          continue
        }
        #expect(found.map(\.key) == [rows[index].key], "\(entity.name ?? "") \(name)")
      }
    }
    again.close()
  }

  @Test("an entity, an attribute and an index that come later keep the names of the older ones")
  func additions() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appending(path: "store")
    func version(_ attributes: [String], indexed: [String]) throws -> ManagedObjectModel {
      let entity = EntityDescription(name: "Thing")
      entity.declaredProperties = attributes.map { AttributeDescription(name: $0, type: .string) }
      entity.indexes = indexed.map {
        FetchIndexDescription(
          name: "by " + $0, elements: [FetchIndexElementDescription(propertyName: $0)])
      }
      let model = ManagedObjectModel(entities: [entity])
      try model.freeze()
      return model
    }
    let first = try version(["a b"], indexed: ["a b"])
    let store = try open(url, first)
    let row = Row(layout: first.entities[0].layout, key: 4097, version: 1)
      .setting(["a b": .string("x")])
    _ = try store.commit(StoreChangeSet(inserted: [row]))
    store.close()
    let second = try version(["A B", "a b", "c"], indexed: ["c"])
    let again = try open(url, second)
    let read = try #require(try again.rows(forKeys: [4097]).first)
    #expect(read.text("a b") == "x")
    #expect(read.text("A B") == nil)
    again.close()
    let names = RawDatabase(url).text(
      "SELECT group_concat(name) FROM sqlite_schema WHERE type = 'index' AND sql IS NOT NULL")
    #expect(names == "Thing_by_c")
  }
}
