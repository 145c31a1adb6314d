// SPDX-License-Identifier: Apache-2.0

import Foundation

@testable import RoostModel

/// A model with every feature that its canonical text must keep.
enum EverythingModel {
  /// - Parameter isReversed: Whether everything is built in the opposite order.
  static func make(isReversed: Bool = false) throws -> ManagedObjectModel {
    func ordered<Part>(_ parts: [Part]) -> [Part] { isReversed ? parts.reversed() : parts }
    let base = EntityDescription(name: "Base")
    let item = EntityDescription(name: "Item “ü” \\ \"quoted\"")
    let part = EntityDescription(name: "Part")
    base.isAbstract = true
    base.versionHashModifier = "7\u{1}\n\t"
    item.renamingIdentifier = "Thing"
    base.properties = ordered(attributes())
    base.uniquenessConstraints = ordered([["text", "int64"], ["uuid"], ["address.city"]])
    let total = DerivedAttributeDescription(name: "total", type: .integer64)
    total.derivationExpression = UnparsedExpression("count:(parts)")
    let parts = RelationshipDescription(name: "parts", destination: part)
    let whole = RelationshipDescription(name: "whole", destination: item, maxCount: 1)
    let peers = RelationshipDescription(name: "peers", destination: item)
    let hidden = RelationshipDescription(name: "hidden", destination: part, maxCount: 1)
    parts.inverseRelationship = whole
    whole.inverseRelationship = parts
    peers.inverseRelationship = peers
    parts.isOrdered = true
    parts.minCount = 1
    parts.maxCount = 9
    parts.deleteRule = .cascade
    parts.isOptional = false
    whole.renamingIdentifier = "owner"
    whole.versionHashModifier = "2"
    hidden.isTransient = true
    item.properties = ordered([total, parts, peers, hidden])
    part.properties = [whole]
    base.subentities = ordered([item])
    let column = ExpressionDescription(
      name: "lower", expression: UnparsedExpression("lowercase:(text)"), resultType: .string)
    let byText = FetchIndexDescription(
      name: "byText",
      elements: [
        FetchIndexElementDescription(property: column, isAscending: false),
        FetchIndexElementDescription(propertyName: "address.city"),
      ])
    byText.partialIndexPredicate = UnparsedPredicate("int64 > 0")
    let byPlace = FetchIndexDescription(
      name: "byPlace",
      elements: [FetchIndexElementDescription(propertyName: "int16", collationType: .rTree)])
    base.indexes = ordered([byText, byPlace])
    let model = ManagedObjectModel(entities: ordered([base, item, part]))
    try model.setEntities(ordered([part, item]), forConfigurationName: "Some")
    try model.setEntities([base], forConfigurationName: "Base")
    model.versionIdentifiers = ["b", "a"]
    return model
  }

  private static func attributes() -> [PropertyDescription] {
    func attribute(
      _ name: String, _ type: AttributeType, _ value: Value = .null,
      _ change: (AttributeDescription) -> Void = { _ in }
    ) -> AttributeDescription {
      let attribute = AttributeDescription(name: name, type: type)
      attribute.defaultConstant = value
      change(attribute)
      return attribute
    }
    let city = attribute("city", .string, .string("Bonn")) { $0.renamingIdentifier = "town" }
    let point = CompositeAttributeDescription(
      name: "point", elements: [attribute("x", .double), attribute("y", .double)])
    let address = CompositeAttributeDescription(name: "address", elements: [city, point])
    address.defaultConstant = .composite([
      "city": .string("Köln"), "point": .composite(["x": .integer(1), "y": .double(-0.1)]),
    ])
    return [
      attribute("int16", .integer16, .integer(-3)) { $0.isOptional = false },
      attribute("int32", .integer32, .integer(4)), attribute("int64", .integer64, .double(5)),
      attribute("decimal", .decimal, .decimal(Decimal(string: "-12345678901234567890.120") ?? 0)) {
        $0.allowsRounding = false
      },
      attribute("double", .double, .double(0.1 + 0.2)), attribute("float", .float, .double(0.5)),
      attribute("text", .string, .string("a\u{0301}\u{1F600}\u{7}\r\n\\\"/")),
      attribute("bool", .boolean, .boolean(true)),
      attribute("date", .date, .date(Date(timeIntervalSinceReferenceDate: 1.0000000000000002))),
      attribute("bytes", .binaryData, .data(Data([0, 255, 10]))) {
        $0.allowsExternalBinaryDataStorage = true
        $0.preservesValueInHistoryOnDeletion = true
      },
      attribute(
        "uuid", .uuid, .uuid(UUID(uuidString: "01234567-89AB-CDEF-0123-456789ABCDEF") ?? UUID())),
      attribute("uri", .uri, .uri(URL(filePath: "/a b/ü"))),
      attribute("object", .transformable) {
        $0.valueTransformerName = "Colour"
        $0.defaultConstant = .transformable(TransformableValue(object: nil, encoded: Data([1, 2])))
      },
      attribute("memory", .undefined) { $0.isTransient = true },
      attribute("renamed", .string) {
        $0.renamingIdentifier = "old"; $0.versionHashModifier = "1"
      },
      address,
    ]
  }
}
