// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore
import Testing

@Suite("Schema of a store")
struct StoreSchemaTests {
  let person = EntityDescription(name: "Person")
  let note = EntityDescription(name: "Note")
  let schema: StoreSchema

  init() throws {
    for entity in [person, note] {
      entity.properties = [AttributeDescription(name: "name", type: .string)]
    }
    let model = ManagedObjectModel(entities: [person, note])
    try model.freeze()
    schema = StoreSchema(
      identity: StoreIdentity(identifier: "S", type: "None"), model: model, entities: [person],
      linkTables: [], codes: ["Person": 3, "Note": 2, "Gone": 7])
  }

  @Test("a key names its concrete entity, its layout and its ID (B301, B303)")
  func keys() throws {
    let key = RecordKey.make(sequence: 42, entityCode: 3)
    #expect(schema.code(of: person) == 3)
    #expect(schema.entity(ofKey: key) === person)
    #expect(schema.layout(ofKey: key) === person.layout)
    let id = try #require(schema.objectID(forKey: key))
    #expect(id.entity === person)
    #expect(RecordKey.sequence(of: id.key) == 42)
    #expect(id.storeIdentity === schema.identity)
  }

  @Test(
    "codes of entities that are not held, were removed or never were name nothing",
    arguments: [0, 1, 2, 7, 8, 4095])
  func unknownCodes(_ code: Int) {
    let key = RecordKey.make(sequence: 1, entityCode: code)
    #expect(schema.entity(ofKey: key) == nil)
    #expect(schema.layout(ofKey: key) == nil)
    #expect(schema.objectID(forKey: key) == nil)
    #expect(schema.code(of: note) == nil)
  }

  @Test("keys of any bits are safe to ask for", arguments: [Int64.min, -1, 0, 1, Int64.max])
  func anyKeys(_ key: Int64) {
    #expect(schema.objectID(forKey: key) == nil)
  }
}
