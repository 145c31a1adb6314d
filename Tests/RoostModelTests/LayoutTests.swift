// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import RoostModel

@Suite("Layouts of rows")
struct LayoutTests {
  @Test("a superentity's layout is the beginning of its subentities' layouts")
  func prefix() throws {
    let company = Company()
    company.model.entities.reverse()
    try company.model.freeze()
    let employee = company.employee.layout
    #expect(
      employee.names == ["name", "age", "office", "@position.Department.people", "salary"])
    #expect(Array(employee.slots.prefix(4)) == company.person.layout.slots)
    #expect(company.tag.layout.names == ["label"])
    #expect(company.office.slot == employee.slot(named: "office"))
    #expect(company.people.slot == nil)
  }

  @Test("offsets agree in a hierarchy in which a subentity has more slots than a word has bits")
  func bitmaps() throws {
    let parent = EntityDescription(name: "Parent")
    let child = EntityDescription(name: "Child")
    parent.properties = (0..<3).map { AttributeDescription(name: "p\($0)", type: .string) }
    child.properties = (0..<200).map { AttributeDescription(name: "c\($0)", type: .decimal) }
    parent.subentities = [child]
    let model = ManagedObjectModel(entities: [child, parent])
    try model.freeze()
    #expect(Array(child.layout.slots.prefix(3)) == parent.layout.slots)
    let row = Row(layout: child.layout, key: 1, version: 1)
    for slot in child.layout.slots { #expect(row.isNull(slot)) }
    try row.setValue(.decimal(7), at: child.layout.slots[202])
    #expect(row.value(at: child.layout.slots[202]) == .decimal(7))
    #expect(row.isNull(child.layout.slots[201]))
  }

  @Test("slots do not overlap, and are in the row")
  func disjoint() throws {
    let entity = EntityDescription(name: "All")
    let types: [AttributeType] = [
      .decimal, .boolean, .string, .uuid, .binaryData, .uri, .transformable, .double, .float,
      .integer16, .integer32, .integer64, .date, .decimal, .string,
    ]
    entity.properties = types.enumerated().map {
      AttributeDescription(name: "a\($0)", type: $1)
    }
    try ManagedObjectModel(entities: [entity]).freeze()
    try expectApart(entity.layout)
    #expect(MemoryLayout<Decimal>.size <= SlotKind.decimal.byteCount)
    #expect(MemoryLayout<String>.size <= SlotKind.string.byteCount)
    #expect(MemoryLayout<Data>.size <= SlotKind.data.byteCount)
  }

  /// Checks that no two slots share a word or a bit, and that all of them are in the row.
  private func expectApart(_ layout: RowLayout) throws {
    var words: Set<Int> = []
    var bits: Set<[Int]> = []
    for slot in layout.slots {
      #expect(bits.insert([Int(slot.nullOffset), Int(slot.bit)]).inserted)
      var mine = Set([slot.cellOffset / 8])
      for word in 0..<slot.kind.byteCount / 8 { mine.insert(Int(slot.offset) / 8 + word) }
      #expect(words.isDisjoint(with: mine))
      words.formUnion(mine)
    }
    words.formUnion(bits.map { $0[0] / 8 })
    let count = layout.slots.reduce(Set(bits.map { $0[0] }).count) {
      $0 + 1 + ($1.kind.byteCount > 8 ? $1.kind.byteCount / 8 : 0)
    }
    #expect(words.count == count)
    #expect(words.allSatisfy { (-layout.leadCount..<layout.wordCount - layout.leadCount) ~= $0 })
  }

  @Test(
    "slots of a hierarchy with hidden ones keep apart",
    arguments: [0, 1, 63, 64, 65, 130])
  func hierarchies(count: Int) throws {
    let company = Company()
    let place = CompositeAttributeDescription(
      name: "place",
      elements: (0..<count).map {
        AttributeDescription(name: "e\($0)", type: $0 % 2 == 0 ? .double : .string)
      } + [AttributeDescription(name: "last", type: .uuid)])
    company.person.properties.append(place)
    company.employee.properties += (0..<count).map {
      AttributeDescription(name: "own\($0)", type: $0 % 3 == 0 ? .decimal : .boolean)
    }
    try company.model.freeze()
    for entity in company.model.entities { try expectApart(entity.layout) }
    let (person, employee) = (company.person.layout, company.employee.layout)
    #expect(Array(employee.slots.prefix(person.slots.count)) == person.slots)
    // Slots added by the superentity do not move the slots that the subentity's class has numbered.
    let first = company.person.properties.count
    #expect(employee.slot(named: "salary")?.cellOffset == RowSlot(cell: first).cellOffset)
  }

  @Test("composites have a slot for each element, with a dotted name (B311)")
  func composites() throws {
    let entity = EntityDescription(name: "Shop")
    let north = AttributeDescription(name: "north", type: .double)
    let place = CompositeAttributeDescription(name: "place", elements: [north])
    let city = AttributeDescription(name: "city", type: .string)
    let address = CompositeAttributeDescription(name: "address", elements: [city, place])
    let hidden = CompositeAttributeDescription(
      name: "hidden", elements: [AttributeDescription(name: "x", type: .double)])
    hidden.isTransient = true
    entity.properties = [address, hidden, AttributeDescription(name: "name", type: .string)]
    try ManagedObjectModel(entities: [entity]).freeze()
    let layout = entity.layout
    #expect(layout.names == ["address.city", "address.place.north", "hidden.x", "name"])
    #expect(
      layout.storedSlots.map { layout.names[$0.index] } == [
        "address.city", "address.place.north", "name",
      ])
    #expect(city.slot == layout.slots[0])
    #expect(address.slot == nil)
    #expect(city.entity === entity)
    #expect(entity.attributesInOrder.map(\.name) == ["address", "hidden", "name"])

    let row = Row(layout: layout, key: 1, version: 1)
    #expect(row.value(of: address) == .null)
    let value = Value.composite(["city": "Rome", "place": .composite(["north": 41.9])])
    try row.setValue(value, of: address)
    #expect(row.value(of: address) == value)
    #expect(row.string(layout.slots[0]) == "Rome")
    try row.setValue(.composite(["city": "Bern"]), of: address)
    #expect(row.value(of: address) == .composite(["city": "Bern"]))
    try row.setValue(.null, of: address)
    #expect(row.isNull(layout.slots[0]))
    #expect(throws: PersistenceError(.invalidValue, "")) { try row.setValue(1, of: address) }
  }

  @Test("a transient attribute has a slot that stores skip")
  func transient() throws {
    let company = Company()
    company.age.isTransient = true
    let cache = AttributeDescription(name: "cache")
    cache.isTransient = true
    company.person.properties.append(cache)
    try company.model.freeze()
    let layout = company.person.layout
    #expect(!company.age.isStored)
    #expect(company.age.slot != nil)
    #expect(cache.slot?.kind == .transformable)
    #expect(
      layout.storedSlots.map { layout.names[$0.index] } == [
        "name", "office", "@position.Department.people",
      ])
  }

  @Test("a new object's row has the default values and nil else (B10)")
  func defaults() throws {
    let company = Company()
    company.age.defaultValue = 18
    company.salary.defaultConstant = .integer(3)
    let north = AttributeDescription(name: "north", type: .double)
    north.defaultValue = 1
    let address = CompositeAttributeDescription(
      name: "address", elements: [AttributeDescription(name: "city", type: .string), north])
    address.defaultConstant = .composite(["city": "Rome"])
    company.employee.properties.append(address)
    try company.model.freeze()
    let layout = company.employee.layout
    let row = company.employee.makeDefaultRow(key: 5, version: 1)
    #expect(row.key == 5)
    #expect(row.version == 1)
    #expect(row.layout === layout)
    let values = layout.slots.map(row.value(at:))
    #expect(values == [nil, 18, nil, nil, .decimal(3), "Rome", 1.0])
    row.setInteger(1, at: layout.slots[1])
    let another = company.employee.makeDefaultRow(key: 6, version: 1)
    #expect(another.value(at: layout.slots[1]) == 18)
  }
}

@Suite("Where relationships are kept")
struct RelationshipStorageTests {
  @Test("a to-one relationship is a slot; its to-many inverse reads it from the destinations")
  func toOne() throws {
    let company = Company()
    try company.model.freeze()
    guard case .toOne(let slot) = company.office.storage,
      case .inverseOfToOne(let inverseSlot, let position) = company.people.storage
    else {
      Issue.record("the relationships are kept elsewhere")
      return
    }
    #expect(slot == company.office.slot)
    #expect(inverseSlot == slot)
    #expect(position == company.person.layout.slot(named: "@position.Department.people"))
    #expect(position?.kind == .position)
  }

  @Test(
    "a to-many relationship without a to-one side is a table of links, owned by the smaller name")
  func links() throws {
    let company = Company()
    let sees = RelationshipDescription(name: "sees", destination: company.department)
    sees.isOrdered = true
    company.tag.properties.append(sees)
    try company.model.freeze()
    #expect(company.model.linkTables.map(\.name) == ["Person.tags", "Tag.sees"])
    guard case .links(let table, true) = company.tags.storage,
      case .links(let inverse, false) = company.tagged.storage
    else {
      Issue.record("the relationships are kept elsewhere")
      return
    }
    #expect(table === inverse)
    #expect(table.relationship === company.tags)
    #expect(table.inverse === company.tagged)
    #expect(!table.sourceIsOrdered && !table.destinationIsOrdered && !table.isSymmetric)
    #expect(company.model.linkTables[1].sourceIsOrdered)
    #expect(company.model.linkTables[1].inverse == nil)
  }

  @Test("a relationship that is its own inverse has one symmetric table, or one slot")
  func ownInverse() throws {
    let company = Company()
    let friends = RelationshipDescription(name: "friends", destination: company.person)
    friends.inverseRelationship = friends
    let spouse = RelationshipDescription(
      name: "spouse", destination: company.person, maxCount: 1)
    spouse.inverseRelationship = spouse
    company.person.properties += [friends, spouse]
    try company.model.freeze()
    guard case .links(let table, true) = friends.storage, case .toOne = spouse.storage else {
      Issue.record("the relationships are kept elsewhere")
      return
    }
    #expect(table.isSymmetric)
  }

  @Test("transient relationships are kept in memory only")
  func transient() throws {
    let company = Company()
    company.office.isTransient = true
    company.people.isTransient = true
    let seen = RelationshipDescription(name: "seen", destination: company.tag)
    seen.isTransient = true
    company.person.properties.append(seen)
    try company.model.freeze()
    for relationship in [company.office, company.people, seen] {
      guard case .transient = relationship.storage else {
        Issue.record("\(relationship.name) is stored")
        continue
      }
      #expect(relationship.slot == nil)
    }
    #expect(company.person.layout.names == ["name", "age"])
  }

  @Test("two ordered relationships into one entity have a position each")
  func positions() throws {
    let company = Company()
    let boss = RelationshipDescription(name: "boss", destination: company.person, maxCount: 1)
    let team = RelationshipDescription(name: "team", destination: company.person)
    team.isOrdered = true
    boss.inverseRelationship = team
    team.inverseRelationship = boss
    company.person.properties += [boss, team]
    try company.model.freeze()
    #expect(
      company.person.layout.names == [
        "name", "age", "office", "boss", "@position.Person.team", "@position.Department.people",
      ])
    guard case .inverseOfToOne(_, let position) = team.storage else {
      Issue.record("the relationship is kept elsewhere")
      return
    }
    #expect(position == company.person.layout.slot(named: "@position.Person.team"))
  }
}
