// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import RoostModel

@Suite("Changes of attributes and entities")
struct ModelChangeTests {
  private typealias Changes = CompanyChanges

  @Test("equal models, and models that differ in what no store keeps, have no difference (M4, M15)")
  func none() throws {
    #expect(try Changes.lines(to: { _ in }) == [])
    let lines = try Changes.lines {
      $0.person.managedObjectClassName = "Human"
      $0.person.userInfo = ["a": 1]
      $0.age.minValue = 1
      $0.model.versionIdentifiers = ["2"]
      $0.tag.properties += [
        FetchedPropertyDescription(name: "f"), Changes.attribute("memory", isTransient: true),
      ]
      $0.tag.indexes = [
        FetchIndexDescription(
          name: "i", elements: [FetchIndexElementDescription(propertyName: "label")])
      ]
    }
    #expect(lines == [])
  }

  @Test("attributes may come, go and get another name (M9, B255)")
  func attributes() throws {
    #expect(
      try Changes.lines { $0.person.properties.append(Changes.attribute("nick")) }
        == ["add attribute Person.nick"])
    #expect(
      try Changes.lines {
        $0.person.properties.append(
          Changes.attribute("score", .integer32, isOptional: false, defaultValue: 0))
      } == ["add attribute Person.score"])
    #expect(
      try Changes.lines { $0.person.properties.removeAll { $0.name == "age" } }
        == ["remove attribute Person.age (loses data)"])
    #expect(
      try Changes.lines {
        $0.name.name = "fullName"
        $0.name.renamingIdentifier = "name"
      } == ["rename attribute Person.fullName, which was name"])
  }

  @Test("a value may be required, where there is a default, and need not be any more (M9, B260)")
  func optionality() throws {
    #expect(
      try Changes.lines {
        $0.age.isOptional = false
        $0.age.defaultConstant = 3
      } == ["require a value of Person.age", "change the default of Person.age"])
    #expect(
      try Changes.lines(from: { $0.age.isOptional = false }, to: { _ in })
        == ["make optional Person.age"])
  }

  @Test("defaults and hash modifiers change no stored data, the place of large values does (M9)")
  func settings() throws {
    let defaults = try Changes.difference { $0.age.defaultConstant = 3 }
    #expect(defaults.changes.map(\.description) == ["change the default of Person.age"])
    #expect(defaults.isEmpty)
    let modifiers = try Changes.difference {
      $0.tag.versionHashModifier = "2"
      $0.age.versionHashModifier = "2"
      $0.title.preservesValueInHistoryOnDeletion = true
      $0.tags.versionHashModifier = "2"
    }
    #expect(
      modifiers.changes.map(\.description) == [
        "change the version of Department.title", "change the version of Person.age",
        "change the version of Person.tags", "change the version of Tag",
      ])
    #expect(modifiers.isEmpty)
    let storage = try Changes.difference(
      from: { $0.title.type = .binaryData },
      to: {
        $0.title.type = .binaryData
        $0.title.allowsExternalBinaryDataStorage = true
      })
    #expect(storage.changes.map(\.description) == ["change the storage of Department.title"])
    #expect(!storage.isEmpty)
  }

  @Test("a transient attribute may become stored, and one that is stored transient (M9)")
  func transience() throws {
    let gone = try Changes.difference { $0.age.isTransient = true }
    #expect(gone.changes.map(\.description) == ["store no more Person.age (loses data)"])
    #expect(
      gone.pair(named: "Person")?.properties.contains { $0.destination.name == "age" } == false)
    let back = try Changes.difference(from: { $0.age.isTransient = true }, to: { _ in })
    #expect(back.changes.map(\.description) == ["store from now on Person.age"])
    #expect(back.pair(named: "Person")?.source(of: "age") == nil)
  }

  @Test("derived attributes are computed when they are new or computed otherwise (M14)")
  func derivation() throws {
    let added = try Changes.difference {
      $0.department.properties.append(Changes.derived("size", .integer64, "count:(people)"))
    }
    #expect(added.changes.map(\.description) == ["add attribute Department.size"])
    #expect(added.pair(named: "Department")?.property("size")?.isComputed == true)
    let old: Changes.Edit = {
      $0.department.properties.append(Changes.derived("d", .string, "title"))
    }
    let other = try Changes.difference(from: old) {
      $0.department.properties.append(Changes.derived("d", .string, "uppercase:(title)"))
    }
    #expect(
      other.changes.map(\.description) == [
        "compute for all records Department.d, as uppercase:(title)"
      ])
    let set = try Changes.difference(from: old) {
      $0.department.properties.append(Changes.attribute("d"))
    }
    #expect(set.changes.map(\.description) == ["compute no more Department.d"])
    #expect(set.pair(named: "Department")?.property("d")?.isComputed == false)
    let computed = try Changes.difference(
      from: { $0.department.properties.append(Changes.attribute("d", .integer16)) }, to: old)
    #expect(
      computed.changes.map(\.description) == [
        "compute for all records Department.d, as title (loses data)"
      ])
    #expect(computed.pair(named: "Department")?.source(of: "d") == nil)
    #expect(try Changes.lines(from: old, to: old) == [])
  }

  @Test("entities may come, go and get another name, and their links follow (M12, B255)")
  func entities() throws {
    #expect(
      try Changes.lines {
        $0.model.entities.append(Changes.entity("Note", [Changes.attribute("t")]))
      }
        == ["add entity Note"])
    #expect(
      try Changes.lines(from: { $0.model.entities.append(Changes.entity("Note")) }, to: { _ in })
        == ["remove entity Note (loses data)"])
    #expect(
      try Changes.lines {
        $0.tag.name = "Label"
        $0.tag.renamingIdentifier = "Tag"
      } == ["rename entity Label, which was Tag"])
  }

  @Test("an entity may become abstract, where it has no records, and concrete (M12)")
  func abstract() throws {
    let abstract = try Changes.difference { $0.tag.isAbstract = true }
    #expect(abstract.changes.map(\.description) == ["make abstract the entity Tag"])
    #expect(abstract.changes.map(\.requiresNoRecords) == [true])
    let concrete = try Changes.difference(from: { $0.tag.isAbstract = true }, to: { _ in })
    #expect(concrete.changes.map(\.description) == ["make concrete the entity Tag"])
    #expect(concrete.changes.map(\.requiresNoRecords) == [false])
  }

  @Test("constraints come and go, and follow the names of their properties (M13)")
  func constraints() throws {
    #expect(
      try Changes.lines { $0.person.uniquenessConstraints = [["name", "age"]] }
        == ["make unique Person.age, name"])
    let old: Changes.Edit = { $0.person.uniquenessConstraints = [["name"]] }
    #expect(
      try Changes.lines(from: old, to: { _ in }) == ["allow duplicates of Person.name"])
    #expect(
      try Changes.lines(from: old) {
        $0.name.name = "fullName"
        $0.name.renamingIdentifier = "name"
        $0.person.uniquenessConstraints = [["fullName"]]
      } == ["rename attribute Person.fullName, which was name"])
    #expect(
      try Changes.lines(from: { $0.employee.uniquenessConstraints = [["name"]] }, to: old)
        == ["make unique Person.name"])
    #expect(
      try Changes.lines(from: old, to: { $0.employee.uniquenessConstraints = [["name"]] })
        == ["allow duplicates of Person.name"])
    #expect(
      try Changes.lines {
        let base = Changes.entity("Base", [Changes.attribute("id")], isAbstract: true)
        base.subentities = [$0.tag]
        base.uniquenessConstraints = [["id"]]
        $0.model.entities.append(base)
      } == [
        "add entity Base", "add attribute Base.id", "make unique Base.id",
        "move entity Tag, which was at the top and is below Base",
      ])
  }

  @Test("changes come in one order, whatever the order of the models (M8)")
  func order() throws {
    func lines(_ isReversed: Bool) throws -> [ModelChange] {
      try Changes.difference {
        $0.tag.properties += [Changes.attribute("b"), Changes.attribute("a")]
        $0.person.properties.append(Changes.attribute("c"))
        $0.title.isTransient = true
        guard isReversed else { return }
        $0.model.entities.reverse()
        for entity in $0.model.entities { entity.declaredProperties.reverse() }
      }.changes
    }
    #expect(try lines(false) == lines(true))
    #expect(try lines(false).map(\.entityName) == ["Department", "Person", "Tag", "Tag"])
    #expect(try lines(false).map(\.key) == ["title", "c", "a", "b"])
  }
}

extension ModelDifference {
  func pair(named name: String) -> EntityPair? { entities.first { $0.destination.name == name } }
}

extension ModelDifference.EntityPair {
  func property(_ name: String) -> ModelDifference.PropertyPair? {
    properties.first { $0.destination.name == name }
  }

  /// Returns the former name of a property, or of an element with a dotted name.
  func source(of name: String) -> String? {
    let elements = properties.flatMap(\.elements)
    return property(name)?.sourceName
      ?? elements.first { $0.destinationName == name }?.sourceName
  }
}
