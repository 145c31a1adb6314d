// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import Testing

@testable import RoostStore

@Suite("Previous values in transactions")
struct HistoryValuesTests {
  let person = EntityDescription(name: "Person")
  let project = EntityDescription(name: "Project")
  let schema: StoreSchema

  init() throws {
    let projects = RelationshipDescription(name: "projects", destination: project)
    let members = RelationshipDescription(name: "members", destination: person)
    projects.isOrdered = true
    (projects.inverseRelationship, members.inverseRelationship) = (members, projects)
    let boss = RelationshipDescription(name: "boss", destination: person, maxCount: 1)
    let address = CompositeAttributeDescription(
      name: "address",
      elements: [
        AttributeDescription(name: "street", type: .string),
        AttributeDescription(name: "number", type: .integer64),
      ])
    person.properties = [
      AttributeDescription(name: "name", type: .string),
      AttributeDescription(name: "age", type: .integer64), address, boss, projects,
    ]
    project.properties = [AttributeDescription(name: "name", type: .string), members]
    let model = ManagedObjectModel(entities: [person, project])
    try model.freeze()
    var tables: [LinkTable] = []
    for relationship in [projects, members] {
      if case .links(let table, isForward: true) = relationship.storage { tables.append(table) }
    }
    schema = StoreSchema(
      identity: StoreIdentity(identifier: "S", type: "None"), model: model,
      entities: [person, project], linkTables: tables, codes: ["Person": 3, "Project": 2])
  }

  /// A source of stored records and links.
  private struct Source: DerivationSource {
    var rows: [Row]
    /// The destinations, with their positions, by relationship name and source.
    var links: [String: [Int64: [(key: Int64, position: Int64)]]] = [:]

    func rows(forKeys keys: [Int64]) -> [Row] { rows.filter { keys.contains($0.key) } }

    func destinations(
      of relationship: RelationshipDescription, forSources sources: [Int64]
    ) -> RelationshipDestinations {
      var result = RelationshipDestinations(offsets: [0], keys: [])
      for source in sources {
        let found = links[relationship.name]?[source] ?? []
        result.keys += found.map(\.key)
        if relationship.isOrdered { result.positions += found.map(\.position) }
        result.offsets.append(result.keys.count)
      }
      return result
    }
  }

  private func key(_ sequence: Int64, _ entity: EntityDescription) -> Int64 {
    RecordKey.make(sequence: sequence, entityCode: schema.code(of: entity) ?? 0)
  }

  private func row(_ sequence: Int64, _ values: [String: Value], version: Int64 = 1) throws -> Row {
    let row = Row(layout: person.layout, key: key(sequence, person), version: version)
    for (name, value) in values {
      try row.setValue(value, at: try #require(person.layout.slot(named: name)))
    }
    return row
  }

  private func index(_ name: String) throws -> Int {
    try #require(person.layout.slot(named: name)).index
  }

  private func content(_ changes: StoreChangeSet, over source: Source) throws -> HistoryContent {
    let noted = try changes.notingPrevious(of: schema, from: source)
    return try #require(try HistoryContent(noted, of: schema))
  }

  private func sample() throws -> HistoryContent {
    let old = try row(1, ["name": .string("Ada"), "age": .integer(36), "boss": .integer(77)])
    let gone = try row(2, ["name": .string("Bob"), "address.number": .integer(5)], version: 9)
    let new = old.copy(version: 2)
    try new.setValue(.integer(37), at: person.layout.slots[index("age")])
    try new.setValue(.null, at: person.layout.slots[index("boss")])
    let table = try #require(schema.linkTables.first)
    #expect(table.relationship.name == "projects" || table.relationship.name == "members")
    let (one, two) = (key(1, project), key(2, project))
    let isForward = table.relationship.name == "projects"
    func link(_ destination: Int64, _ kind: LinkChange.Kind) -> LinkChange {
      LinkChange(
        table: table, source: isForward ? old.key : destination,
        destination: isForward ? destination : old.key, kind: kind)
    }
    let changes = StoreChangeSet(
      updated: [
        RowUpdate(
          row: new, baseVersion: 1, changedSlots: [try index("age"), try index("boss")].sorted())
      ],
      deleted: [RowVersion(key: gone.key, version: 9)],
      links: [link(one, .unlink), link(two, .link(position: 3, inversePosition: nil))])
    let source = Source(
      rows: [old, gone],
      links: [
        "projects": [old.key: [(one, 11)], gone.key: [(two, 12)]],
        "members": [one: [(old.key, 0)], two: [(gone.key, 0)]],
      ])
    return try content(changes, over: source)
  }

  @Test("updates keep what changed, deletions all, and links what they were (H7)")
  func values() throws {
    let content = try HistoryContent(bytes: sample().bytes)
    #expect(content.hasPreviousValues)
    let changes = try content.changes()
    let update = try #require(changes.first { $0.key == key(1, person) && $0.kind == .update })
    let held = (update.previous ?? []).map { "\($0.kind) \($0.name) \($0.value)" }.sorted()
    #expect(held == ["attribute age \(Value.integer(36))", "reference boss \(Value.integer(77))"])
    let deletion = try #require(changes.first { $0.kind == .delete })
    #expect(deletion.lastVersion == 9)
    let last = Dictionary(
      uniqueKeysWithValues: (deletion.previous ?? []).map { ($0.name, $0.value) })
    #expect(last.count == person.layout.storedSlots.count)
    #expect(last["name"] == .string("Bob") && last["age"] == .null)
    #expect(last["address.number"] == .integer(5))
    let links = try content.previousLinks().map { link in
      let ends = [link.source, link.destination].map { RecordKey.sequence(of: $0) }.sorted()
      guard case .link(let position, let other) = link.state else { return "\(ends) absent" }
      return "\(ends) \(position ?? other ?? -1)"
    }
    #expect(links.sorted() == ["[1, 1] 11", "[1, 2] absent", "[2, 2] 12"])
  }

  @Test("records are found in a transaction that keeps previous values (H14)")
  func search() throws {
    let content = try HistoryContent(bytes: sample().bytes)
    let keys = Set(try content.changes().map(\.key))
    for entity in [person, project] {
      for sequence in Int64(0)...4 {
        let key = key(sequence, entity)
        #expect(try content.changes(anyOf: RecordSelection([key])) == keys.contains(key))
      }
    }
  }

  @Test("a composite is kept whole (H7)")
  func composite() throws {
    let old = try row(1, ["address.street": .string("High"), "address.number": .integer(1)])
    let new = old.copy(version: 2)
    let slot = try index("address.number")
    try new.setValue(.integer(2), at: person.layout.slots[slot])
    let changes = StoreChangeSet(
      updated: [RowUpdate(row: new, baseVersion: 1, changedSlots: [slot])])
    let found = try content(changes, over: Source(rows: [old])).changes()
    #expect(found[0].previous?.map(\.name).sorted() == ["address.number", "address.street"])
  }

  @Test("without values a content is written as it was before there were any (H7)")
  func former() throws {
    let insert = StoreChangeSet(inserted: [try row(4, [:])])
    let plain = try #require(try HistoryContent(insert, of: schema))
    #expect(plain.bytes.first == 1 && !plain.hasPreviousValues)
    // A transaction of the first version: no author, the program `p`, one insertion and one update of `name`.
    var bytes: [UInt8] = [1, 0, 0, 1, 0x70, 3, 0x70, 0x2D, 0x31, 0, 2]
    bytes += [0, 3, 1, 8, 1]
    bytes += [1, 3, 1, 10, 1, 1, 4, 0x6E, 0x61, 0x6D, 0x65]
    let former = try HistoryContent(bytes: bytes + HistoryPacking.checksum(of: bytes))
    let changes = try former.changes()
    #expect(changes.map(\.kind) == [.insert, .update])
    #expect(changes.map { RecordKey.sequence(of: $0.key) } == [4, 5])
    #expect(changes[1].properties == ["name"] && changes[1].previous == nil)
    #expect(try former.previousLinks().isEmpty)
  }

  @Test("a content with values that was damaged is found, and never traps (H7, H34)")
  func damage() throws {
    let bytes = try sample().bytes
    for place in bytes.indices {
      #expect(throws: PersistenceError.self) {
        _ = try HistoryContent(bytes: Array(bytes[..<place]))
      }
      for change: UInt8 in [0x01, 0x11, 0x80, 0xFF] {
        var damaged = bytes
        damaged[place] ^= change
        #expect(throws: PersistenceError.self) { _ = try HistoryContent(bytes: damaged) }
        // With a valid checksum, as a malicious writer would compute it.
        damaged = Array(damaged.dropLast(4))
        damaged += HistoryPacking.checksum(of: damaged)
        if let content = try? HistoryContent(bytes: damaged) {
          _ = try? content.changes()
          _ = try? content.changes(anyOf: RecordSelection([key(99, person)]))
          _ = try? content.previousLinks()
        }
      }
    }
  }
}
