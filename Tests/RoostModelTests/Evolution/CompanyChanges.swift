// SPDX-License-Identifier: Apache-2.0

@testable import RoostModel

/// Two versions of the small model, and their differences.
enum CompanyChanges {
  typealias Edit = (Company) throws -> Void

  static func difference(
    from old: Edit = { _ in }, to new: Edit, lossless: Bool = false
  ) throws -> ModelDifference {
    let (source, destination) = (Company(), Company())
    try old(source)
    try new(destination)
    return try ModelDifference(
      from: source.model, to: destination.model, allowsLosslessTypeChanges: lossless)
  }

  /// Returns the changes, one line each.
  static func lines(
    from old: Edit = { _ in }, to new: Edit, lossless: Bool = false
  ) throws -> [String] {
    try difference(from: old, to: new, lossless: lossless).changes.map(\.description)
  }

  /// Returns the error with which a difference is refused; nil when the mapping is inferred.
  static func refusal(
    from old: Edit = { _ in }, to new: Edit, lossless: Bool = false
  ) throws -> PersistenceError? {
    do {
      _ = try difference(from: old, to: new, lossless: lossless)
      return nil
    } catch let error as PersistenceError {
      return error
    }
  }

  /// Makes an attribute.
  static func attribute(
    _ name: String, _ type: AttributeType = .string, isOptional: Bool = true,
    defaultValue: Value = .null, was identifier: String? = nil, isTransient: Bool = false
  ) -> AttributeDescription {
    let attribute = AttributeDescription(name: name, type: type)
    attribute.isOptional = isOptional
    attribute.defaultConstant = defaultValue
    attribute.renamingIdentifier = identifier
    attribute.isTransient = isTransient
    return attribute
  }

  static func derived(
    _ name: String, _ type: AttributeType, _ expression: String
  ) -> DerivedAttributeDescription {
    let attribute = DerivedAttributeDescription(name: name, type: type)
    attribute.derivationExpression = UnparsedExpression(expression)
    return attribute
  }

  static func entity(
    _ name: String, _ properties: [PropertyDescription] = [], was identifier: String? = nil,
    isAbstract: Bool = false
  ) -> EntityDescription {
    let entity = EntityDescription(name: name)
    entity.properties = properties
    entity.renamingIdentifier = identifier
    entity.isAbstract = isAbstract
    return entity
  }
}
