// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import RoostModel

/// A class without a known codec.
private final class Unencodable: Sendable {}

@Suite("The text of a model")
struct CanonicalModelTests {
  @Test("the model of a text has the hashes, defaults and options of the original (M5, M6)")
  func roundTrip() throws {
    let original = try EverythingModel.make()
    let text = try CanonicalModel(original)
    let model = try text.model()
    #expect(!model.isFrozen)
    #expect(model.entityVersionHashesByName == original.entityVersionHashesByName)
    #expect(text.entityVersionHashes == original.entityVersionHashesByName)
    #expect(text.versionChecksum == original.versionChecksum)
    #expect(model.configurations == ["Base", "Some"])
    #expect(model.versionIdentifiers == ["a", "b"])
    let base = try #require(model.entitiesByName["Base"])
    for attribute in try #require(original.entitiesByName["Base"]).attributesInOrder {
      let read = try #require(base.attributesByName[attribute.name])
      let expected = try ValueCheck.check(attribute.defaultConstant, for: attribute)
      #expect(
        try ValueCheck.check(read.defaultConstant, for: read) == expected, "\(attribute.name)")
      #expect(read.renamingIdentifier == attribute.renamingIdentifier)
      #expect(read.allowsRounding == attribute.allowsRounding)
      #expect(read.valueTransformerName == attribute.valueTransformerName)
    }
    #expect(base.indexes.map(\.name) == ["byPlace", "byText"])
    let parts = try #require(
      model.entitiesByName["Item “ü” \\ \"quoted\""]?.relationshipsByName["parts"])
    #expect(parts.deleteRule == .cascade)
    #expect(parts.maintainedInverse?.renamingIdentifier == "owner")
    try model.freeze()
    #expect(try CanonicalModel(model) == text)
  }

  @Test("equal models have equal texts, in whatever order they were built, frozen or not (M5)")
  func order() throws {
    let text = try CanonicalModel(try EverythingModel.make())
    #expect(try CanonicalModel(try EverythingModel.make(isReversed: true)).bytes == text.bytes)
    let frozen = try EverythingModel.make()
    try frozen.freeze()
    #expect(try CanonicalModel(frozen).bytes == text.bytes)
    #expect(try CanonicalModel(try text.model()).bytes == text.bytes)
    #expect(try CanonicalModel(bytes: text.bytes) == text)
  }

  @Test("classes, user info, rules and labels of the program are no part of the text (M4, M5)")
  func cosmetic() throws {
    let company = Company()
    let text = try CanonicalModel(company.model)
    company.person.managedObjectClassName = "Human"
    company.person.userInfo = ["a": 1]
    company.age.minValue = 1
    company.tag.properties.append(FetchedPropertyDescription(name: "people"))
    try company.name.setValidationPredicates(
      [UnparsedPredicate("SELF != ''")], withValidationWarnings: ["empty"])
    company.model.localizationDictionary = ["Entity/Person": "Mensch"]
    #expect(try CanonicalModel(company.model).bytes == text.bytes)
    #expect(try text.model().entities.allSatisfy { $0.managedObjectClassName == "ManagedObject" })
  }

  @Test("a change of one property is a change of one line, besides the checksum (M6)")
  func lines() throws {
    let company = Company()
    let before = try lines(of: company.model)
    company.age.isOptional = false
    let after = try lines(of: company.model)
    #expect(Set(after).subtracting(before).count == 2)
    #expect(after.contains { $0.contains(#"{"name": "age", "type": "integer16"}"#) })
  }

  private func lines(of model: ManagedObjectModel) throws -> [Substring] {
    String(decoding: try CanonicalModel(model).bytes, as: UTF8.self).split(separator: "\n")
  }

  @Test("numbers, dates and decimals of defaults come back to the last bit (M5)")
  func exactDefaults() throws {
    var random = SeededNumbers(seed: 1)
    for _ in 0..<2000 {
      let double = Double(bitPattern: random.next())
      if !double.isNaN {
        try expectExact(.double(double), .double)
        try expectExact(.date(Date(timeIntervalSinceReferenceDate: double)), .date)
      }
      let mantissa = UInt128(random.next()) << UInt128(random.next() % 62) | UInt128(random.next())
      let parts = DecimalParts(
        isNegative: Bool.random(using: &random),
        exponent: Int.random(in: -128...80, using: &random),
        mantissa: mantissa)
      if let decimal = parts.decimal { try expectExact(.decimal(decimal), .decimal) }
    }
    for value in [0, -0.0, .infinity, -.infinity, .leastNonzeroMagnitude, .ulpOfOne] {
      try expectExact(.double(value), .double)
    }
  }

  private func expectExact(_ value: Value, _ type: AttributeType) throws {
    let attribute = AttributeDescription(name: "a", type: type)
    attribute.defaultConstant = value
    let node = try #require(ValueText.defaultNode(of: attribute))
    let read = try ValueText.value(of: node)
    #expect(read == value)
    if case .double(let number) = value, case .double(let other) = read {
      #expect(number.bitPattern == other.bitPattern)
    }
  }

  @Test("the default of a class is kept as its bytes, and left out while it has no codec (M5)")
  func classDefaults() throws {
    let model = ManagedObjectModel()
    let entity = EntityDescription(name: "E")
    let tags = AttributeDescription(name: "tags", type: .transformable)
    tags.defaultValue = ["a"]
    let codec = AttributeDescription(name: "named", type: .transformable)
    codec.valueTransformerName = "Missing codec"
    codec.defaultValue = Unencodable()
    entity.properties = [tags, codec]
    model.entities = [entity]
    let read = try CanonicalModel(model).model()
    let attributes = try #require(read.entitiesByName["E"]).attributesByName
    #expect(attributes["named"]?.defaultConstant == .null)
    guard case .transformable(let value) = attributes["tags"]?.defaultConstant else {
      Issue.record("the default is lost")
      return
    }
    #expect(value.encoded == Data(#"["a"]"#.utf8))
  }

  @Test("expressions are made by the parser that is given, and must be spelled as before (M6)")
  func parsers() throws {
    let text = try CanonicalModel(try EverythingModel.make())
    #expect(try text.model(parser: .texts).versionChecksum == text.versionChecksum)
    var other = ModelTextParser.texts
    other.derivation = { UnparsedExpression("\($0) ") }
    #expect(throws: PersistenceError(.corruptStore, "")) { try text.model(parser: other) }
    other.derivation = { _ in throw PersistenceError(.invalidPredicate, "") }
    #expect(throws: PersistenceError(.corruptStore, "")) { try text.model(parser: other) }
  }

  @Test("a model with faults, or with a name that is too long, has no text (M5)")
  func refusals() throws {
    let company = Company()
    company.people.destinationEntity = nil
    #expect(throws: PersistenceError(.invalidModel, "")) { try CanonicalModel(company.model) }
    let long = Company()
    long.tag.name = String(repeating: "x", count: 20_000)
    #expect(throws: PersistenceError(.limitExceeded, "")) { try CanonicalModel(long.model) }
  }

  @Test(
    "every real model comes back with equal hashes (M6)",
    .enabled(if: Fixtures.arePresent, "ROOST_FIXTURES names no folder with hash-vectors.tsv"))
  func realModels() throws {
    let paths = try Fixtures.modelPaths()
    #expect(paths.count > 20)
    for path in paths {
      let original = try Fixtures.model(path)
      let model = try CanonicalModel(original).model()
      #expect(model.entityVersionHashesByName == original.entityVersionHashesByName, "\(path)")
      try model.freeze()
    }
  }
}
