// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import RoostModel

@Suite("Changes of hierarchies")
struct HierarchyChangeTests {
  private typealias Changes = CompanyChanges

  /// Gives entities an abstract superentity.
  private func base(
    _ company: Company, over entities: [EntityDescription], named name: String = "Base"
  ) {
    let base = Changes.entity(name, isAbstract: true)
    base.subentities = entities
    company.model.entities.append(base)
  }

  @Test("a property that moves up or down in a hierarchy is the same one (M8, M12, B256)")
  func moves() throws {
    let up = try Changes.difference { company in
      company.employee.properties = company.employee.properties.filter { $0.name != "salary" }
      company.person.properties.append(company.salary)
    }
    #expect(
      up.changes.map(\.description) == [
        "add attribute Person.salary", "move attribute Person.salary, which was Employee.salary",
      ])
    #expect(up.pair(named: "Employee")?.source(of: "salary") == "salary")
    #expect(up.pair(named: "Person")?.property("salary")?.source == nil)
    let down = try Changes.difference { company in
      company.person.properties.removeAll { $0.name == "age" }
      company.employee.properties.append(company.age)
    }
    #expect(
      down.changes.map(\.description) == [
        "move attribute Employee.age, which was Person.age",
        "remove attribute Person.age (loses data)",
      ])
    #expect(down.pair(named: "Employee")?.source(of: "age") == "age")
  }

  @Test("a required attribute may move up where no records are without it (M9, M12)")
  func requiredMove() throws {
    let old: Changes.Edit = { company in
      company.person.isAbstract = true
      company.salary.isOptional = false
    }
    let new: Changes.Edit = { company in
      try old(company)
      company.employee.properties = company.employee.properties.filter { $0.name != "salary" }
      company.person.properties.append(company.salary)
    }
    #expect(
      try Changes.lines(from: old, to: new)
        == ["move attribute Person.salary, which was Employee.salary"])
    let concrete = try Changes.refusal(
      from: { $0.salary.isOptional = false },
      to: {
        try new($0)
        $0.person.isAbstract = false
      })
    #expect(concrete?.key == "salary")
    #expect(concrete?.entityName == "Person")
  }

  @Test("an entity may get a parent or a child, and move out, in and within (M12, B256)")
  func entities() throws {
    #expect(
      try Changes.lines { base($0, over: [$0.person]) } == [
        "add entity Base", "move entity Person, which was at the top and is below Base",
      ])
    #expect(
      try Changes.lines { company in
        let manager = Changes.entity("Manager")
        company.employee.subentities = [manager]
        company.model.entities.append(manager)
      } == ["add entity Manager"])
    let out = try Changes.difference { company in
      company.person.subentities = []
      company.employee.properties += ["name", "age"].map {
        Changes.attribute($0, $0 == "age" ? .integer16 : .string)
      }
    }
    #expect(
      out.changes.map(\.description) == [
        "change the destination of Department.people, which leads to Employee no more (loses data)",
        "move entity Employee, which was below Person and is at the top",
        "move attribute Employee.age, which was Person.age",
        "move attribute Employee.name, which was Person.name",
        "remove relationship Employee.office (loses data)",
        "remove relationship Employee.tags (loses data)",
        "change the destination of Tag.tagged, which leads to Employee no more (loses data)",
      ])
    let tagged = out.pair(named: "Tag")?.property("tagged")
    #expect(tagged?.lostDestinations.map(\.name) == ["Employee"])
    #expect(
      try Changes.lines { $0.department.subentities = [$0.tag] }
        == [
          "move entity Tag, which was at the top and is below Department",
          "add attribute Tag.title", "add relationship Tag.people",
        ])
  }

  @Test("a parent may go when its children stay (M12, B256)")
  func parentGoes() throws {
    let lines = try Changes.lines(
      from: { base($0, over: [$0.tag, $0.department]) },
      to: { base($0, over: [$0.tag, $0.department], named: "Other") })
    #expect(
      lines == [
        "remove entity Base",
        "move entity Department, which was below Base and is below Other", "add entity Other",
        "move entity Tag, which was below Base and is below Other",
      ])
    #expect(
      try Changes.lines(from: { base($0, over: [$0.tag, $0.department]) }, to: { _ in }).count == 3)
  }

  @Test("hierarchies without a common source parent cannot be united (M12, B256)")
  func unions() throws {
    let common = try #require(try Changes.refusal { base($0, over: [$0.tag, $0.department]) })
    #expect(common.code == .inferredMappingModel)
    #expect(common.entityName == "Tag")
    #expect(common.message.contains("“Department” and “Tag” had no superentity in common"))
    let whole = try Changes.refusal { company in
      company.department.subentities = [company.person]
      company.person.properties = company.person.properties.filter { $0.name != "title" }
    }
    #expect(whole?.code == .inferredMappingModel)
  }
}
