// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import RoostModel

@Suite("Changes of relationships")
struct RelationshipChangeTests {
  private typealias Changes = CompanyChanges

  private func relate(_ company: Company, inverse: Bool = true) {
    let boss = RelationshipDescription(name: "boss", destination: company.person, maxCount: 1)
    company.department.properties.append(boss)
    guard inverse else { return }
    let led = RelationshipDescription(name: "led", destination: company.department)
    company.person.properties.append(led)
    boss.inverseRelationship = led
    led.inverseRelationship = boss
  }

  @Test("relationships may come, go and get another name (M11, B255)")
  func presence() throws {
    #expect(
      try Changes.lines { relate($0) }
        == ["add relationship Department.boss", "add relationship Person.led"])
    #expect(
      try Changes.lines(from: { relate($0) }, to: { _ in }) == [
        "remove relationship Department.boss (loses data)",
        "remove relationship Person.led (loses data)",
      ])
    #expect(
      try Changes.lines {
        $0.office.name = "place"
        $0.office.renamingIdentifier = "office"
      } == ["rename relationship Person.place, which was office"])
  }

  @Test("an inverse that goes takes no links with it, and one that comes changes none (M11)")
  func inverses() throws {
    #expect(
      try Changes.lines(from: { relate($0) }, to: { relate($0, inverse: false) }) == [
        "change the inverse of Department.boss, of which there is none",
        "remove relationship Person.led",
      ])
    #expect(
      try Changes.lines(from: { relate($0, inverse: false) }, to: { relate($0) }) == [
        "change the inverse of Department.boss, which is Person.led", "add relationship Person.led",
      ])
  }

  @Test("an inverse to one may lose links where several led to one object (M11)")
  func limitingInverse() throws {
    let old: Changes.Edit = { company in
      company.tags.inverseRelationship = nil
      company.tag.properties.removeAll { $0.name == "tagged" }
    }
    let lines = try Changes.lines(from: old) { company in
      company.tagged.maxCount = 1
      company.tagged.name = "owner"
    }
    #expect(
      lines == [
        "change the inverse of Person.tags, which is Tag.owner (loses data)",
        "add relationship Tag.owner",
      ])
  }

  @Test("a relationship to one may be to many, ordered or not (M11, B255)")
  func toMany() throws {
    let difference = try Changes.difference { $0.office.maxCount = 0 }
    #expect(difference.changes.map(\.description) == ["make to-many Person.office"])
    #expect(difference.pair(named: "Employee")?.source(of: "office") == "office")
    #expect(
      try Changes.lines { company in
        company.tags.isOrdered = true
      } == ["change the order of Person.tags, which is ordered now"])
    #expect(
      try Changes.lines { $0.people.isOrdered = false }
        == ["change the order of Department.people, which is ordered no more"])
  }

  @Test("counts, delete rules and whether there must be one concern no stored data (M11, M4)")
  func rules() throws {
    let difference = try Changes.difference {
      $0.people.minCount = 1
      $0.people.deleteRule = .deny
      $0.tags.maxCount = 7
      $0.office.isOptional = false
    }
    #expect(
      difference.changes.map(\.description) == [
        "change the rules of Department.people", "change the rules of Person.office",
        "change the rules of Person.tags",
      ])
    #expect(difference.isEmpty)
  }

  @Test("a transient relationship may become stored, and one that is stored transient (M9, M11)")
  func transience() throws {
    let transient: Changes.Edit = {
      $0.tags.isTransient = true
      $0.tagged.isTransient = true
    }
    #expect(
      try Changes.lines(to: transient) == [
        "store no more Person.tags (loses data)", "store no more Tag.tagged (loses data)",
      ])
    let back = try Changes.difference(from: transient, to: { _ in })
    #expect(
      back.changes.map(\.description)
        == ["store from now on Person.tags", "store from now on Tag.tagged"])
    #expect(back.pair(named: "Tag")?.property("tagged")?.source == nil)
  }

  @Test("a destination may be another entity that the old destinations are instances of (M11, M12)")
  func destinations() throws {
    #expect(
      try Changes.lines(from: { lead($0, to: $0.employee) }, to: { lead($0, to: $0.person) })
        == ["change the destination of Tag.owner, which was Employee and is Person"])
    let error = try #require(
      try Changes.refusal(from: { lead($0, to: $0.person) }, to: { lead($0, to: $0.employee) }))
    #expect(error.code == .inferredMappingModel)
    #expect(error.entityName == "Tag")
    #expect(error.key == "owner")
    #expect(error.message.contains("which was Person and is Employee"))
  }

  private func lead(_ company: Company, to entity: EntityDescription) {
    company.tag.properties.append(
      RelationshipDescription(name: "owner", destination: entity, maxCount: 1))
  }

  @Test("an attribute and a relationship of one name are two properties (M8)")
  func otherKind() throws {
    let lines = try Changes.lines(
      from: { $0.tag.properties.append(Changes.attribute("owner")) },
      to: { lead($0, to: $0.person) })
    #expect(
      lines == ["remove attribute Tag.owner (loses data)", "add relationship Tag.owner"])
  }
}
