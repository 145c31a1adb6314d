// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import RoostModel

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
    #expect(found.contains { $0.hasPrefix("Tag.address.home:") })
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
