// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import RoostModel

@Suite("What is recognised in another version")
struct IdentityPairingTests {
  private typealias Changes = CompanyChanges

  /// Pairs parts that are written as `name` or `name:identifier`; returns the source of each destination.
  private func pair(
    _ sources: [String], _ destinations: [String], byName: Bool = true
  ) -> (sources: [String?], conflicts: Int) {
    func identity(_ text: String) -> PartIdentity {
      let parts = text.split(separator: ":").map(String.init)
      return PartIdentity(parts[0], parts.count > 1 ? parts[1] : nil)
    }
    let pairing = IdentityPairing(sources.map(identity), destinations.map(identity)) { _, _ in
      byName
    }
    return (pairing.sources.map { $0.map { sources[$0] } }, pairing.conflicts.count)
  }

  @Test("a part is recognised by its identifier, through any number of names (M8, B258)")
  func chains() {
    #expect(pair(["Car"], ["Auto:Car"]).sources == ["Car"])
    #expect(pair(["Car"], ["Vehicle:Car"]).sources == ["Car"])
    #expect(pair(["Auto:Car"], ["Vehicle:Car"]).sources == ["Auto:Car"])
    #expect(pair(["Auto:Car"], ["Vehicle:Auto"]).sources == ["Auto:Car"])
    #expect(pair(["a", "b"], ["a:b", "b:a"]).sources == ["b", "a"])
    #expect(pair(["Auto:Car", "Car"], ["Auto:Car", "Car"]).sources == ["Auto:Car", "Car"])
  }

  @Test("an identifier that is dropped, or comes later, changes nothing where the name stays (M8)")
  func names() {
    #expect(pair(["Auto:Car"], ["Auto"]).sources == ["Auto:Car"])
    #expect(pair(["Auto"], ["Auto:Car"]).sources == ["Auto"])
    #expect(pair(["Auto"], ["Auto:Car"], byName: false).sources == [nil])
    #expect(pair(["Auto:Car"], ["Vehicle:Car", "Auto"]).sources == ["Auto:Car", nil])
    #expect(pair(["Car"], ["Vehicle:Car", "Car:New"]).sources == ["Car", nil])
  }

  @Test("two parts that claim one are a conflict, and so is one that could be two (M8)")
  func conflicts() {
    #expect(pair(["Car"], ["Auto:Car", "Vehicle:Car"]).conflicts == 1)
    #expect(pair(["Car"], ["Auto:Car", "Car"]).conflicts == 1)
    #expect(pair(["Car"], ["Car", "Auto:Car"]).conflicts == 1)
    #expect(pair(["A:Car", "B:Car"], ["Vehicle:Car"]).conflicts == 1)
    #expect(pair(["Auto:Car"], ["Bike:Auto", "Vehicle:Car"]).conflicts == 1)
    #expect(pair(["Auto:Car"], ["Bike:Auto", "Auto"]).conflicts == 1)
  }

  @Test("an entity, an attribute and a relationship keep their data under their third name (B258)")
  func thirdName() throws {
    let first: Changes.Edit = { _ in }
    let second: Changes.Edit = {
      $0.tag.name = "Label"
      $0.tag.renamingIdentifier = "Tag"
      $0.name.name = "fullName"
      $0.name.renamingIdentifier = "name"
      $0.office.name = "place"
      $0.office.renamingIdentifier = "office"
    }
    let third: Changes.Edit = {
      try second($0)
      $0.tag.name = "Mark"
      $0.name.name = "wholeName"
      $0.office.name = "site"
    }
    for old in [first, second] {
      let difference = try Changes.difference(from: old, to: third)
      #expect(difference.removedEntities == [])
      #expect(!difference.isLossy)
      #expect(difference.pair(named: "Mark")?.source != nil)
      let person = try #require(difference.pair(named: "Person"))
      #expect(person.property("wholeName")?.source != nil)
      #expect(person.property("site")?.source != nil)
      #expect(difference.changes.count == 3)
      let source = try #require(person.source)
      #expect(difference.pair(forSource: source)?.destination === person.destination)
      #expect(difference.pair(for: person.destination)?.source === source)
    }
  }
}
