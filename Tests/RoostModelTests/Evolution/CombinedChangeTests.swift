// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import RoostModel

@Suite("Several changes at once")
struct CombinedChangeTests {
  private typealias Changes = CompanyChanges

  @Test("an entity and all of its properties have other names (M8, M16)")
  func renamedAll() throws {
    let difference = try Changes.difference {
      $0.tag.name = "Label"
      $0.tag.renamingIdentifier = "Tag"
      for property in $0.tag.declaredProperties {
        property.renamingIdentifier = property.name
        property.name += "2"
      }
    }
    #expect(difference.changes.count == 3)
    #expect(!difference.isLossy)
    #expect(difference.pair(named: "Label")?.properties.allSatisfy { $0.source != nil } == true)
  }

  @Test("two attributes swap their names (M8)")
  func swapped() throws {
    let difference = try Changes.difference {
      $0.tag.properties.append(Changes.attribute("note", was: "label"))
      $0.tag.properties.first { $0.name == "label" }?.renamingIdentifier = "note"
    }
    #expect(difference.pair(named: "Tag")?.source(of: "note") == "label")
    #expect(difference.pair(named: "Tag")?.source(of: "label") == nil)
  }

  @Test("an attribute is renamed, gets a wider type and must have a value (M9, M10)")
  func attribute() throws {
    let lines = try Changes.lines(
      to: {
        $0.age.name = "years"
        $0.age.renamingIdentifier = "age"
        $0.age.type = .integer64
        $0.age.isOptional = false
        $0.age.defaultConstant = 1
      }, lossless: true)
    #expect(
      lines == [
        "rename attribute Person.years, which was age",
        "change the type of Person.years, which was integer16 and is integer64",
        "require a value of Person.years", "change the default of Person.years",
      ])
  }

  @Test("a relationship is renamed, to many and ordered, with another inverse (M11)")
  func relationship() throws {
    let lines = try Changes.lines {
      $0.office.name = "offices"
      $0.office.renamingIdentifier = "office"
      $0.office.maxCount = 0
      $0.office.isOrdered = true
      $0.office.deleteRule = .deny
    }
    #expect(
      lines == [
        "rename relationship Person.offices, which was office",
        "make to-many Person.offices", "change the rules of Person.offices",
      ])
  }

  @Test("an attribute moves up into a new parent that its entity and a sibling get (M12)")
  func newParent() throws {
    let old: Changes.Edit = { company in
      let base = Changes.entity("Thing", isAbstract: true)
      base.subentities = [company.tag, company.department]
      company.model.entities.append(base)
    }
    let difference = try Changes.difference(from: old) { company in
      try old(company)
      company.tag.properties.removeAll { $0.name == "label" }
      company.model.entities.last?.properties = [Changes.attribute("label")]
    }
    #expect(
      difference.changes.map(\.description) == [
        "add attribute Department.label", "move attribute Thing.label, which was Tag.label",
      ])
    #expect(difference.pair(named: "Tag")?.source(of: "label") == "label")
    #expect(difference.pair(named: "Department")?.source(of: "label") == nil)
  }

  @Test("an entity goes, and with it the relationship to it (M12)")
  func removedWithLinks() throws {
    let difference = try Changes.difference { company in
      company.person.properties.removeAll { $0.name == "tags" }
      company.model.entities.removeAll { $0 === company.tag }
    }
    #expect(
      difference.changes.map(\.description) == [
        "remove relationship Person.tags (loses data)", "remove entity Tag (loses data)",
      ])
    #expect(difference.removedEntities.map(\.name) == ["Tag"])
  }

  @Test("a relationship leads to an entity that takes the place of a removed one (M11, M12)")
  func replacedDestination() throws {
    let difference = try Changes.difference { company in
      company.tag.name = "Label"
      company.tag.renamingIdentifier = "something new"
    }
    #expect(difference.removedEntities.map(\.name) == ["Tag"])
    #expect(
      difference.changes.map(\.description) == [
        "add entity Label",
        "change the destination of Person.tags, which was Tag and is Label",
        "change the inverse of Person.tags, which is Label.tagged",
        "remove entity Tag (loses data)",
      ])
  }

  @Test("an entity is renamed and moves below another one, with a constraint (M12, M13)")
  func movedAndRenamed() throws {
    let lines = try Changes.lines { company in
      company.tag.name = "Label"
      company.tag.renamingIdentifier = "Tag"
      company.tag.uniquenessConstraints = [["label"]]
      company.department.subentities = [company.tag]
    }
    #expect(
      lines == [
        "rename entity Label, which was Tag",
        "move entity Label, which was at the top and is below Department",
        "add attribute Label.title", "add relationship Label.people", "make unique Label.label",
      ])
  }

  @Test("a new subentity takes over an attribute of its parent (M12)")
  func newChild() throws {
    let difference = try Changes.difference { company in
      let manager = Changes.entity("Manager")
      company.employee.properties = company.employee.properties.filter { $0.name != "salary" }
      manager.properties = [company.salary]
      company.employee.subentities = [manager]
      company.model.entities.append(manager)
    }
    #expect(
      difference.changes.map(\.description) == [
        "remove attribute Employee.salary (loses data)", "add entity Manager",
      ])
  }

  @Test("a derived attribute follows what it is computed of to another name (M14)")
  func derivedOfRenamed() throws {
    let difference = try Changes.difference(
      from: { $0.tag.properties.append(Changes.derived("upper", .string, "uppercase:(label)")) },
      to: {
        $0.tag.properties.append(Changes.derived("upper", .string, "uppercase:(text)"))
        $0.tag.properties.first { $0.name == "label" }?.renamingIdentifier = "label"
        $0.tag.properties.first { $0.name == "label" }?.name = "text"
      })
    #expect(
      difference.changes.map(\.description) == [
        "rename attribute Tag.text, which was label",
        "compute for all records Tag.upper, as uppercase:(text)",
      ])
  }
}
