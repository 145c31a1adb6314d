// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// An entity of the later model, with its source entity.
struct MappedEntity {
  let source: EntityDescription?
  let destination: EntityDescription
  /// The attributes and relationships whose mappings are inferred.
  private(set) var attributes: [String] = []
  private(set) var relationships: [String] = []
  /// Open decisions: a sentence each, and code that could implement it.
  private(set) var decisions: [(reason: String, code: String)] = []

  init(source: EntityDescription?, destination: EntityDescription) {
    self.source = source
    self.destination = destination
    guard let source else { return }
    for attribute in destination.attributesInOrder.sorted(by: { UTF8Order.isLess($0.name, $1.name) }
    )
    where attribute.isStored && !(attribute is DerivedAttributeDescription) {
      add(attribute, source)
    }
    for relationship in destination.relationshipsInOrder.sorted(by: {
      UTF8Order.isLess($0.name, $1.name)
    }) where !relationship.isTransient {
      add(relationship, source)
    }
  }

  private static func match<Property: PropertyDescription>(
    _ property: Property, in candidates: [Property]
  ) -> Property? {
    let identity = property.renamingIdentifier ?? property.name
    return candidates.first { ($0.renamingIdentifier ?? $0.name) == identity }
      ?? candidates.first { $0.name == property.name }
  }

  private mutating func add(_ attribute: AttributeDescription, _ source: EntityDescription) {
    let name = attribute.name
    guard let old = Self.match(attribute, in: source.attributesInOrder.filter(\.isStored)) else {
      guard !attribute.isOptional, attribute.defaultConstant.isNull else {
        attributes.append("// \(name) is new: its default is taken.")
        return
      }
      decisions.append(
        (
          "\(name) is new, and must have a value.",
          "try made.setValue(…, forKey: \(SwiftText.quoted(name)))"
        ))
      return
    }
    guard old.type == attribute.type else {
      decisions.append(
        (
          "\(old.name) was \(old.type), and \(name) is \(attribute.type).",
          "try made.setValue(source.value(forKey: \(SwiftText.quoted(old.name))), "
            + "forKey: \(SwiftText.quoted(name)))"
        ))
      return
    }
    if old.isOptional, !attribute.isOptional, attribute.defaultConstant.isNull {
      decisions.append(
        (
          "\(name) must have a value now; where it was nil, there is none.",
          "if try source.value(forKey: \(SwiftText.quoted(old.name))) == nil { "
            + "try made.setValue(…, forKey: \(SwiftText.quoted(name))) }"
        ))
    }
    attributes.append(
      "PropertyMapping(name: \(SwiftText.quoted(name)), "
        + "valueExpression: .source(\(SwiftText.quoted(old.name)))),")
  }

  private mutating func add(_ relationship: RelationshipDescription, _ source: EntityDescription) {
    let name = relationship.name
    guard let old = Self.match(relationship, in: source.relationshipsInOrder) else {
      relationships.append("// \(name) is new: it leads nowhere.")
      return
    }
    guard !old.isToMany || relationship.isToMany else {
      decisions.append(
        (
          "\(old.name) led to many, and \(name) leads to one: which one stays?",
          "try made.setValue(…, forKey: \(SwiftText.quoted(name)))"
        ))
      return
    }
    relationships.append(
      "PropertyMapping(name: \(SwiftText.quoted(name)), "
        + "valueExpression: .destinations(of: \(SwiftText.quoted(old.name)))),")
  }

  // MARK: Code

  private var policyName: String { SwiftText.type(destination.name ?? "") + "Policy" }

  /// The lines that make the mapping.
  var mapping: [String] {
    let name = destination.name ?? ""
    let variable = SwiftText.variable(name)
    let from = source?.name.map(SwiftText.quoted) ?? "nil"
    var lines = ["let \(variable) = EntityMapping(from: \(from), to: \(SwiftText.quoted(name)))"]
    guard source != nil else { return lines }
    if !decisions.isEmpty { lines.append("\(variable).entityMigrationPolicy = \(policyName).self") }
    for (list, parts) in [
      ("attributeMappings", attributes), ("relationshipMappings", relationships),
    ] {
      guard !parts.isEmpty else { continue }
      lines.append("\(variable).\(list) = [")
      lines += parts.map { "  " + $0 }
      lines.append("]")
    }
    return lines
  }

  /// The policy class for the open decisions; nil when there are none.
  var policy: String? {
    guard !decisions.isEmpty else { return nil }
    var lines = [
      "final class \(policyName): EntityMigrationPolicy {",
      "  override func createDestinationInstances(",
      "    forSource source: ManagedObject, in mapping: EntityMapping, manager: MigrationManager",
      "  ) throws {", "    try super.createDestinationInstances(",
      "      forSource: source, in: mapping, manager: manager)",
      "    for made in manager.destinationInstances(",
      "      forEntityMappingName: mapping.name, sourceInstances: [source])", "    {",
    ]
    for (reason, code) in decisions { lines += ["      // \(reason)", "      // \(code)"] }
    return (lines + ["      _ = made", "    }", "  }", "}"]).joined(separator: "\n")
  }
}
