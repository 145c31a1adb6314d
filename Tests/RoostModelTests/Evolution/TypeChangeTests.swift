// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import RoostModel

@Suite("Changes of types and composites")
struct TypeChangeTests {
  private typealias Changes = CompanyChanges

  private func composite(
    _ name: String = "address", _ elements: [PropertyDescription],
    _ change: @escaping (CompositeAttributeDescription) -> Void = { _ in }
  ) -> Changes.Edit {
    { company in
      let composite = CompositeAttributeDescription(
        name: name, elements: elements.map { $0.copy() })
      change(composite)
      company.tag.properties.append(composite)
    }
  }

  @Test(
    "types that lose nothing may change where that is allowed (M10)",
    arguments: [
      (AttributeType.integer16, AttributeType.integer32, nil), (.integer16, .integer64, nil),
      (.integer32, .integer64, nil), (.float, .double, nil),
      (.integer16, .double, .integerToDouble), (.integer32, .double, .integerToDouble),
      (.string, .uri, .stringToURI), (.uri, .string, .uriToString),
    ] as [(AttributeType, AttributeType, ValueConversion?)])
  func lossless(old: AttributeType, new: AttributeType, conversion: ValueConversion?) throws {
    let difference = try Changes.difference(
      from: { $0.age.type = old }, to: { $0.age.type = new }, lossless: true)
    #expect(
      difference.changes.map(\.description)
        == ["change the type of Person.age, which was \(old) and is \(new)"])
    for name in ["Person", "Employee"] {
      #expect(difference.pair(named: name)?.property("age")?.conversion == conversion)
    }
    let error = try Changes.refusal(from: { $0.age.type = old }, to: { $0.age.type = new })
    #expect(error?.code == .inferredMappingModel)
    #expect(error?.message.contains("allowsLosslessTypeChanges") == true)
    let back = try Changes.refusal(
      from: { $0.age.type = new }, to: { $0.age.type = old }, lossless: true)
    #expect((back == nil) == (new.slotKind == .uri || old.slotKind == .uri))
  }

  @Test("other types are refused, and an identifier of its own makes a new attribute (M10, B257)")
  func lossy() throws {
    let error = try #require(try Changes.refusal(to: { $0.age.type = .string }, lossless: true))
    #expect(error.code == .inferredMappingModel)
    #expect(error.entityName == "Person")
    #expect(error.key == "age")
    #expect(error.message.contains("from integer16 to string"))
    #expect(!error.message.contains("allowsLosslessTypeChanges"))
    #expect(
      try Changes.lines {
        $0.age.type = .string
        $0.age.renamingIdentifier = "age as text"
      } == ["add attribute Person.age", "remove attribute Person.age (loses data)"])
  }

  @Test("the elements of a composite are compared one by one (M9, M10)")
  func elements() throws {
    let (city, zip) = (Changes.attribute("city"), Changes.attribute("zip"))
    let old = composite("address", [city, zip])
    #expect(try Changes.lines(to: old) == ["add attribute Tag.address"])
    #expect(
      try Changes.lines(from: old, to: { _ in })
        == ["remove attribute Tag.address (loses data)"])
    let renamed = try Changes.difference(
      from: old,
      to: composite("place", [Changes.attribute("town", was: "city"), zip]) {
        $0.renamingIdentifier = "address"
      })
    #expect(
      renamed.changes.map(\.description) == [
        "rename attribute Tag.place, which was address",
        "rename attribute Tag.place.town, which was city",
      ])
    #expect(renamed.pair(named: "Tag")?.source(of: "place.town") == "address.city")
    #expect(renamed.pair(named: "Tag")?.source(of: "place.zip") == "address.zip")
    let edited = try Changes.difference(
      from: old, to: composite("address", [zip, Changes.attribute("street")]))
    #expect(
      edited.changes.map(\.description)
        == ["add attribute Tag.address.street", "remove attribute Tag.address.city (loses data)"])
    let error = try #require(
      try Changes.refusal(
        from: old, to: composite("address", [city, Changes.attribute("zip", .integer32)])))
    #expect(error.key == "address.zip")
    let required = try Changes.refusal(
      from: old,
      to: composite("address", [city, zip, Changes.attribute("street", isOptional: false)]))
    #expect(required?.key == "address.street")
  }

  @Test("composites in composites are compared to the last element (M9)")
  func nested() throws {
    func edit(_ type: AttributeType, _ name: String, was: String? = nil) -> Changes.Edit {
      let point = CompositeAttributeDescription(
        name: "point", elements: [Changes.attribute(name, type, was: was)])
      return composite("address", [point])
    }
    let difference = try Changes.difference(
      from: edit(.integer32, "x"), to: edit(.double, "long", was: "x"), lossless: true)
    #expect(
      difference.changes.map(\.description) == [
        "rename attribute Tag.address.point.long, which was x",
        "change the type of Tag.address.point.long, which was integer32 and is double",
      ])
    let element = try #require(difference.pair(named: "Tag")?.property("address")?.elements.first)
    #expect(element.sourceName == "address.point.x")
    #expect(element.destinationName == "address.point.long")
    #expect(element.conversion == .integerToDouble)
  }

  @Test("attributes become elements of a composite, and elements attributes, where allowed (M10)")
  func exchange() throws {
    let plain: Changes.Edit = {
      $0.tag.properties += [Changes.attribute("city"), Changes.attribute("code", .integer16)]
    }
    let united = composite(
      "address", [Changes.attribute("city"), Changes.attribute("zip", .integer32, was: "code")])
    let into = try Changes.difference(from: plain, to: united, lossless: true)
    #expect(into.pair(named: "Tag")?.source(of: "address.city") == "city")
    #expect(into.pair(named: "Tag")?.source(of: "address.zip") == "code")
    #expect(!into.isLossy)
    #expect(
      into.changes.map(\.description) == [
        "add attribute Tag.address", "change the type of Tag.address.city, which was city",
        "change the type of Tag.address.zip, which was code",
      ])
    let out = try Changes.difference(
      from: united,
      to: { $0.tag.properties += [Changes.attribute("city"), Changes.attribute("town")] },
      lossless: true)
    #expect(out.pair(named: "Tag")?.source(of: "city") == "address.city")
    #expect(
      out.changes.map(\.description) == [
        "add attribute Tag.town", "remove attribute Tag.address.zip (loses data)",
        "change the type of Tag.city, which was address.city",
      ])
    #expect(
      try Changes.lines(from: plain, to: united) == [
        "add attribute Tag.address", "remove attribute Tag.city (loses data)",
        "remove attribute Tag.code (loses data)",
      ])
  }

  @Test("a composite that was an attribute of another type is refused (M10)")
  func otherKind() throws {
    let error = try Changes.refusal(
      from: { $0.tag.properties.append(Changes.attribute("address")) },
      to: composite("address", [Changes.attribute("city")]), lossless: true)
    #expect(error?.key == "address")
    #expect(error?.message.contains("from string to composite") == true)
  }
}
