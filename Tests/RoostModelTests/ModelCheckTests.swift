// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import RoostModel

@Suite("The check of a model")
struct ModelCheckTests {
  @Test("a consistent model has no faults; a relationship without an inverse is none")
  func noFaults() throws {
    let company = Company()
    company.tag.properties.append(
      RelationshipDescription(name: "origin", destination: company.department, maxCount: 1))
    #expect(company.faults == [])
    try company.model.check()
  }

  @Test("all faults are reported at once, each with its place")
  func allAtOnce() throws {
    let company = Company()
    company.age.type = .undefined
    company.office.destinationEntity = nil
    company.title.defaultValue = 5
    company.tag.name = "Person"
    company.person.uniquenessConstraints = [["nothing"]]
    let error = #expect(throws: PersistenceError.self) { try company.model.check() }
    #expect(error?.code == .invalidModel)
    let places = Set(
      error?.underlyingErrors.map { "\($0.entityName ?? "").\($0.key ?? "")" } ?? [])
    #expect(places.isSuperset(of: ["Person.age", "Person.office", "Department.title"]))
    #expect(places.isSuperset(of: ["Person.", "Person.nothing"]))
    #expect(error?.underlyingErrors.allSatisfy { $0.code == .invalidModel } == true)
  }

  @Test(
    "names that would mean something else are refused", arguments: ["", "a\0b", "a.b", "@count"])
  func hostileNames(name: String) {
    let company = Company()
    company.age.name = name
    company.tag.name = name
    #expect(company.faults.filter { $0.contains("name ") }.count == 2)
  }

  @Test(
    "quotes, SQL words, other scripts, digits and long names are names like others",
    arguments: [
      "select", "\"; DROP TABLE \"", "a'b", "`x`", "Größe", "名前", "1st", "order by",
      "$x", "Z_PK", "👩‍👩‍👧", " ", String(repeating: "n", count: 200),
    ])
  func unusualNames(name: String) throws {
    let company = Company()
    company.age.name = name
    company.tag.name = name
    #expect(company.faults == [])
    try company.model.freeze()
    #expect(company.employee.layout.slot(named: name) == company.age.slot)
    #expect(company.model.entitiesByName[name] === company.tag)
  }

  @Test(
    "a property cannot have the name of a member of every managed object",
    arguments: ["objectID", "entity", "isFault", "description", "hashValue", "self", "willSave"])
  func reservedNames(name: String) {
    let company = Company()
    company.age.name = name
    #expect(
      company.faults == ["Person.\(name): “\(name)” is a member of every managed object."])
  }

  @Test("names that Unicode takes for equal are doubles, since a dictionary does")
  func equivalentNames() {
    let company = Company()
    company.age.name = "caf\u{E9}"
    company.name.name = "cafe\u{301}"
    #expect(company.faults.count == 1)
  }

  @Test("a property that is inherited cannot be defined again (B300)")
  func redefinition() {
    let company = Company()
    company.employee.properties.append(AttributeDescription(name: "age", type: .integer32))
    #expect(
      company.faults == ["Employee.age: “age” is inherited from “Person” already (B300)."])
    company.salary.name = "age"
    #expect(company.faults.contains { $0.contains("Two properties") })
  }

  @Test("hierarchies that run in circles are found, and nothing runs for ever")
  func cycles() {
    let company = Company()
    company.employee.subentities = [company.person]
    #expect(company.faults.filter { $0.contains("inherits from itself") }.count == 2)
    #expect(company.person.concreteEntities.count == 2)
    #expect(company.person.properties.count == 5)
    #expect(company.person.isKindOf(entity: company.employee))
    #expect(company.person.versionHash.count == 32)
    #expect(!company.model.copy().findFaults().isEmpty)
    company.tag.subentities = [company.tag]
    #expect(company.faults.contains { $0.hasPrefix("Tag.:") })
    company.employee.subentities = []
    company.tag.subentities = []
  }

  @Test("an entity below two others, outside the model or listed twice is found")
  func brokenHierarchies() {
    let company = Company()
    company.department.subentities = [company.employee]
    #expect(company.faults == ["Person.: The subentity “Employee” has another superentity too."])
    company.department.subentities = [EntityDescription(name: "Stranger")]
    #expect(company.faults.contains { $0.contains("“Stranger” is not part of the model") })
    company.department.subentities = []
    company.person.subentities = [company.employee]
    company.model.entities = [company.employee, company.department, company.tag]
    #expect(company.faults.contains { $0.contains("superentity “Person” is not part") })
    company.model.entities = [company.tag, company.tag]
    #expect(company.faults.contains { $0.contains("listed twice") })
  }

  @Test("an entity or a property of somebody else is found")
  func strangers() {
    let company = Company()
    let other = ManagedObjectModel(entities: [company.tag])
    #expect(company.faults == ["Tag.: The entity belongs to another model; copy it for this one."])
    other.entities = []
    company.model.entities = company.model.entities
    company.tag.properties.append(company.title)
    #expect(company.faults.contains { $0.contains("belongs to another entity") })
  }

  @Test("a relationship leads somewhere, and its inverse leads back")
  func relationships() {
    let company = Company()
    company.office.inverseRelationship = company.tagged
    #expect(company.faults.contains { $0.contains("does not name this relationship") })
    #expect(company.faults.contains { $0.contains("does not belong to the destination") })
    company.office.inverseRelationship = company.people
    company.people.destinationEntity = company.employee
    #expect(company.faults.contains { $0.contains("does not lead back") })
    company.people.destinationEntity = EntityDescription(name: "Stranger")
    #expect(company.faults.contains { $0.contains("“Stranger” is not part of the model") })
    company.people.destinationEntity = company.person
    company.people.isTransient = true
    #expect(company.faults.contains { $0.contains("both stored or both transient") })
  }

  @Test("counts and order of a relationship make sense (B7)")
  func counts() {
    let company = Company()
    company.office.isOrdered = true
    company.tags.minCount = 3
    company.tags.maxCount = 2
    company.tagged.minCount = -1
    #expect(company.faults.count == 3)
  }
}

@Suite("The check of attributes")
struct AttributeCheckTests {
  private func faults(_ attribute: AttributeDescription) -> [String] {
    let company = Company()
    company.tag.properties.append(attribute)
    return company.faults
  }

  @Test("an attribute without a type must be transient (B5)")
  func undefinedType() {
    let attribute = AttributeDescription(name: "cache")
    #expect(faults(attribute).count == 1)
    attribute.isTransient = true
    #expect(faults(attribute) == [])
    #expect(faults(AttributeDescription(name: "other", type: .objectID)).count == 1)
    #expect(
      faults(AttributeDescription(name: "other", type: AttributeType(rawValue: 1700))).count == 1)
  }

  @Test("a default value of another type, out of range or refused by stores is found")
  func badDefaults() {
    let bad: [(AttributeType, Any)] = [
      (.integer16, 40_000), (.integer32, Int64.max), (.integer64, 1.5), (.integer16, "1"),
      (.double, Double.nan), (.float, 1e300), (.string, "a\0b"), (.string, 5), (.boolean, 2),
      (.date, "today"), (.decimal, Decimal.nan), (.uuid, "no"), (.string, Company.self),
    ]
    for (type, value) in bad {
      let attribute = AttributeDescription(name: "value", type: type)
      attribute.defaultValue = value
      #expect(faults(attribute).count == 1, "\(value) as \(type)")
    }
    let good: [(AttributeType, Any)] = [
      (.integer16, -32_768), (.integer64, NSNumber(value: Int64.min)), (.double, 3),
      (.decimal, 0.1), (.boolean, true), (.boolean, 0), (.string, ""), (.date, Date.distantPast),
      (.float, 0.1), (.uri, URL(filePath: "/dev/null")), (.binaryData, Data([0])),
    ]
    for (type, value) in good {
      let attribute = AttributeDescription(name: "value", type: type)
      attribute.defaultValue = value
      #expect(faults(attribute) == [], "\(value) as \(type)")
    }
  }

  @Test("bounds, lengths and patterns make sense")
  func bounds() {
    let age = AttributeDescription(name: "value", type: .integer16)
    age.minValue = 5
    age.maxValue = 4
    age.minLength = 1
    #expect(faults(age).count == 2)
    age.minLength = nil
    age.maxValue = "x"
    #expect(faults(age).count == 1)
    let name = AttributeDescription(name: "value", type: .string)
    name.minLength = 5
    name.maxLength = 4
    name.regularExpression = "("
    name.minValue = 1
    #expect(faults(name).count == 3)
  }

  @Test("a composite has attributes only, with a type, not stored outside (B6)")
  func composites() {
    let outside = AttributeDescription(name: "photo", type: .binaryData)
    outside.allowsExternalBinaryDataStorage = true
    let untyped = AttributeDescription(name: "untyped")
    untyped.isTransient = true
    let composite = CompositeAttributeDescription(
      name: "address",
      elements: [
        RelationshipDescription(name: "home"), untyped,
        AttributeDescription(name: "id", type: .objectID), outside,
        AttributeDescription(name: "city", type: .string),
        AttributeDescription(name: "city", type: .string),
        AttributeDescription(name: "a.b", type: .string),
        CompositeAttributeDescription(name: "empty"),
      ])
    let found = faults(composite)
    #expect(found.count == 7)
    #expect(found.contains { $0.hasPrefix("Tag.address.home:") && $0.contains("B6") })
    #expect(faults(AttributeDescription(name: "address", type: .composite)).count == 1)
    composite.type = .string
    #expect(faults(composite).contains { $0.contains("must stay composite") })
  }

  @Test("composites in one another, an element in two places, and too deep ones are found")
  func strangeComposites() {
    let inner = CompositeAttributeDescription(name: "inner")
    let outer = CompositeAttributeDescription(name: "outer", elements: [inner])
    inner.elements = [outer]
    #expect(faults(outer).contains { $0.contains("stands in another place") })
    inner.elements = []
    let city = AttributeDescription(name: "city", type: .string)
    let first = CompositeAttributeDescription(name: "first", elements: [city])
    let second = CompositeAttributeDescription(name: "second", elements: [city])
    #expect(faults(first).count == 1)
    #expect(faults(second) == [])
    var deep = CompositeAttributeDescription(name: "leaf", elements: [city])
    for _ in 0..<1000 { deep = CompositeAttributeDescription(name: "c", elements: [deep]) }
    #expect(faults(deep).contains { $0.contains("too deep") })
  }

  @Test("a derived attribute has an expression and is stored")
  func derived() {
    let derived = DerivedAttributeDescription(name: "count", type: .integer64)
    #expect(faults(derived).count == 1)
    derived.derivationExpression = UnparsedExpression("now()")
    #expect(faults(derived) == [])
    derived.isTransient = true
    #expect(faults(derived).count == 1)
  }
}

@Suite("The check of indexes, constraints and sizes")
struct IndexCheckTests {
  @Test("an index does not mix kinds; R-trees are for required numbers of 32 bits (B13)")
  func indexKinds() {
    let company = Company()
    let age = FetchIndexElementDescription(property: company.age, collationType: .rTree)
    let name = FetchIndexElementDescription(property: company.name)
    company.person.indexes = [FetchIndexDescription(name: "both", elements: [age, name])]
    #expect(company.faults.contains { $0.contains("mixes R-tree and binary elements (B13)") })
    company.person.indexes = [FetchIndexDescription(name: "age", elements: [age])]
    #expect(company.faults.count == 1)
    company.age.isOptional = false
    #expect(company.faults == [])
    company.age.type = .integer64
    #expect(company.faults.count == 1)
  }

  @Test("an index has elements with stored values, and a name of its own (B13)")
  func indexElements() {
    let company = Company()
    let photo = AttributeDescription(name: "photo", type: .binaryData)
    photo.isTransient = true
    let address = CompositeAttributeDescription(
      name: "address", elements: [AttributeDescription(name: "city", type: .string)])
    company.person.properties += [photo, address]
    let names = ["nothing", "tags", "photo", "address", "address.street"]
    company.person.indexes =
      names.map {
        FetchIndexDescription(name: $0, elements: [FetchIndexElementDescription(propertyName: $0)])
      } + [FetchIndexDescription(name: "tags", elements: [])]
    #expect(company.faults.count == 7)
    let expression = ExpressionDescription(
      name: "upper", expression: UnparsedExpression("uppercase:(name)"), resultType: .string)
    company.person.indexes = [
      FetchIndexDescription(
        name: "good",
        elements: [
          FetchIndexElementDescription(propertyName: "address.city"),
          FetchIndexElementDescription(property: company.office),
          FetchIndexElementDescription(property: expression),
        ])
    ]
    #expect(company.faults == [])
  }

  @Test("editing the hierarchy drops all of its indexes (B12)")
  func droppedIndexes() {
    let company = Company()
    func setIndexes() {
      for (entity, name) in [(company.person, "name"), (company.employee, "salary")] {
        entity.indexes = [
          FetchIndexDescription(
            name: "index", elements: [FetchIndexElementDescription(propertyName: name)])
        ]
      }
      company.tag.indexes = company.person.indexes.map { $0.copy() }
    }
    let edits: [() -> Void] = [
      { company.employee.properties.removeLast() },
      { company.person.properties.append(AttributeDescription(name: "x", type: .string)) },
      { company.employee.subentities = [EntityDescription(name: "Manager")] },
    ]
    for edit in edits {
      setIndexes()
      edit()
      #expect(company.person.indexes.isEmpty)
      #expect(company.employee.indexes.isEmpty)
      #expect(company.tag.indexes.count == 1)
    }
    setIndexes()
    company.person.subentities = []
    #expect(company.person.indexes.isEmpty)
    #expect(company.employee.indexes.isEmpty)
  }

  @Test("uniqueness constraints name stored attributes; subentities inherit and extend them (B14)")
  func constraints() throws {
    let company = Company()
    company.person.uniquenessConstraints = [["name", "age"]]
    company.employee.uniquenessConstraints = [["salary"], ["name"]]
    #expect(company.faults == [])
    #expect(company.person.allUniquenessConstraints == [["name", "age"]])
    #expect(company.employee.allUniquenessConstraints == [["name", "age"], ["salary"], ["name"]])
    company.person.uniquenessConstraints = [
      [], ["age", "age"], ["nothing"], ["office"], ["salary"],
    ]
    #expect(company.faults.count == 5)
  }

  @Test("a model of more entities than keys can name is refused")
  func tooManyEntities() {
    let model = ManagedObjectModel(
      entities: (0..<4096).map { EntityDescription(name: "Entity\($0)") })
    #expect(model.findFaults().count == 1)
    model.entities.removeLast()
    #expect(model.findFaults().isEmpty)
  }

  @Test("an entity with more values than a row can have is refused")
  func tooManySlots() throws {
    let parent = EntityDescription(name: "Parent")
    let child = EntityDescription(name: "Child")
    parent.properties = (0..<65_000).map { AttributeDescription(name: "p\($0)", type: .boolean) }
    parent.subentities = [child]
    let model = ManagedObjectModel(entities: [parent, child])
    #expect(model.findFaults().isEmpty)
    child.properties = [AttributeDescription(name: "c", type: .boolean)]
    #expect(model.findFaults().map(\.entityName) == ["Child"])
  }

  @Test("a hierarchy of a thousand levels is no danger")
  func deepHierarchy() throws {
    var entities = [EntityDescription(name: "E0")]
    for number in 1..<1000 {
      let entity = EntityDescription(name: "E\(number)")
      entities[number - 1].subentities = [entity]
      entities.append(entity)
    }
    entities.reverse()
    var model: ManagedObjectModel? = ManagedObjectModel(entities: entities)
    try model?.freeze()
    #expect(entities[0].isKindOf(entity: entities[999]))
    #expect(entities[999].concreteEntities.count == 1000)
    entities = []
    model = nil
  }

  @Test("a template that fetches an unknown entity is found")
  func templates() throws {
    let company = Company()
    try company.model.setFetchRequestTemplate(Template("Stranger"), forName: "strangers")
    #expect(company.faults.count == 1)
  }
}

@Suite(
  "Models of real programs",
  .enabled(if: Fixtures.arePresent, "ROOST_FIXTURES names no folder with hash-vectors.tsv"))
struct RealModelTests {
  @Test("every model that Xcode wrote is consistent, freezes and copies")
  func realModels() throws {
    let paths = try Fixtures.modelPaths()
    #expect(paths.count > 20)
    for path in paths {
      let model = try Fixtures.model(path)
      let faults = model.findFaults().map(\.description)
      #expect(faults == [], "\(path)")
      guard faults.isEmpty else { continue }
      let hashes = model.entityVersionHashesByName
      try model.freeze()
      #expect(model.entityVersionHashesByName == hashes)
      #expect(model.copy().entityVersionHashesByName == hashes)
    }
  }
}
