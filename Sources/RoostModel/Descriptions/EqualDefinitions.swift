// SPDX-License-Identifier: Apache-2.0

// Comparison of definitions. To be merged (B17), two models must agree on everything that instances, stores and
// migrations depend on. Two models are equal if neither contains anything more than the other (B351).

/// A request that can compare itself in more detail than a model can.
package protocol ComparableModelRequest: ModelFetchRequest {
  /// Whether another request is defined alike.
  func isDefinedLike(_ other: any ModelFetchRequest) -> Bool
}

extension ModelFetchRequest {
  /// Whether another request is defined alike, as far as a model can tell.
  func isSameRequest(as other: any ModelFetchRequest) -> Bool {
    if let request = self as? any ComparableModelRequest { return request.isDefinedLike(other) }
    return templateEntityName == other.templateEntityName
      && templatePredicateFormat == other.templatePredicateFormat
  }
}

extension EntityDescription {
  /// Whether another entity is defined alike, except for indexes, subentities, and user info keys that only one of
  /// the two has.
  func isDefinedLike(_ other: EntityDescription, exactly: Bool = false) -> Bool {
    guard versionHash == other.versionHash,
      managedObjectClassName == other.managedObjectClassName,
      superentity?.name == other.superentity?.name,
      renamingIdentifier == other.renamingIdentifier,
      coreSpotlightDisplayNameExpression?.expressionFormat
        == other.coreSpotlightDisplayNameExpression?.expressionFormat,
      UserInfo.agree(userInfo, other.userInfo, exactly: exactly),
      declaredProperties.count == other.declaredProperties.count
    else { return false }
    let others = Dictionary(
      other.declaredProperties.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    return declaredProperties.allSatisfy {
      others[$0.name]?.isDefinedLike($0, exactly: exactly) ?? false
    }
  }

  /// Whether another entity is defined alike in everything, including indexes and the names of its subentities
  /// (B351).
  func isEqualDefinition(to other: EntityDescription) -> Bool {
    guard name == other.name, indexes.count == other.indexes.count,
      Set(subentities.map(\.name)) == Set(other.subentities.map(\.name)),
      isDefinedLike(other, exactly: true)
    else { return false }
    return indexes.allSatisfy { index in other.indexes.contains { $0.isDefinedLike(index) } }
  }

  /// Merges the user info of the same entity of another model, and of its properties.
  func addUserInfo(of other: EntityDescription) {
    userInfo.merge(other.userInfo) { first, _ in first }
    let others = Dictionary(
      other.declaredProperties.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
    for property in declaredProperties {
      property.userInfo.merge(others[property.name]?.userInfo ?? [:]) { first, _ in first }
    }
  }
}

extension ManagedObjectModel {
  /// Whether another model has equal entities, configurations, templates, identifiers and localised names (B351).
  func isEqualDefinition(to other: ManagedObjectModel) -> Bool {
    guard entities.count == other.entities.count,
      versionIdentifiers == other.versionIdentifiers,
      localizationDictionary == other.localizationDictionary,
      memberNames == other.memberNames,
      Set(templates.keys) == Set(other.templates.keys)
    else { return false }
    let others = other.entitiesByName
    return entities.allSatisfy { $0.name.flatMap { others[$0] } == $0 }
      && templates.allSatisfy { name, request in
        other.templates[name].map(request.isSameRequest) ?? false
      }
  }

  private var memberNames: [String: Set<String?>] {
    entitiesByConfiguration.mapValues { Set($0.map(\.name)) }
  }
}

extension FetchIndexDescription {
  /// Whether another index is defined alike.
  func isDefinedLike(_ other: FetchIndexDescription) -> Bool {
    name == other.name
      && partialIndexPredicate?.predicateFormat == other.partialIndexPredicate?.predicateFormat
      && elements.elementsEqual(other.elements) { $0.isDefinedLike($1) }
  }
}

extension FetchIndexElementDescription {
  fileprivate func isDefinedLike(_ other: FetchIndexElementDescription) -> Bool {
    propertyName == other.propertyName && collationType == other.collationType
      && isAscending == other.isAscending && expressionFormat == other.expressionFormat
  }

  private var expressionFormat: String? {
    (property as? ExpressionDescription)?.expression?.expressionFormat
  }
}

extension PropertyDescription {
  /// Whether another property is defined alike, except for user info keys that only one of the two has.
  fileprivate func isDefinedLike(_ other: PropertyDescription, exactly: Bool) -> Bool {
    guard name == other.name, isOptional == other.isOptional, isTransient == other.isTransient,
      versionHash == other.versionHash, renamingIdentifier == other.renamingIdentifier,
      isIndexedBySpotlight == other.isIndexedBySpotlight,
      UserInfo.agree(userInfo, other.userInfo, exactly: exactly),
      validationPredicates.map(\.predicateFormat)
        == other.validationPredicates.map(\.predicateFormat),
      validationWarnings == other.validationWarnings
    else { return false }
    switch (self, other) {
    case (let composite as CompositeAttributeDescription, _):
      let leaves = (other as? CompositeAttributeDescription)?.leaves ?? []
      return composite.leaves.elementsEqual(leaves) {
        $0.name == $1.name && $0.attribute.isDefinedLike($1.attribute, exactly: exactly)
      }
    case (let attribute as AttributeDescription, let other as AttributeDescription):
      return attribute.rules == other.rules && attribute.hasSameDefaultObject(as: other)
        && attribute.transformableCodec?.name == other.transformableCodec?.name
    case (let relationship as RelationshipDescription, let other as RelationshipDescription):
      return relationship.deleteRule == other.deleteRule
    case (let fetched as FetchedPropertyDescription, let other as FetchedPropertyDescription):
      guard let one = fetched.fetchRequest, let two = other.fetchRequest else {
        return fetched.fetchRequest == nil && other.fetchRequest == nil
      }
      return one.isSameRequest(as: two)
    default:
      return false
    }
  }
}

extension AttributeDescription {
  /// The default and the validation rules, which are not part of the version hash.
  fileprivate var rules: [Value] {
    [
      .integer(Int64(type.rawValue)), defaultConstant, minValue ?? .null, maxValue ?? .null,
      minLength.map { .integer(Int64($0)) } ?? .null,
      maxLength.map { .integer(Int64($0)) } ?? .null,
      regularExpression.map { .string($0) } ?? .null,
      valueTransformerName.map { .string($0) } ?? .null,
      explicitValueClassName.map { .string($0) } ?? .null,
      .boolean(allowsExternalBinaryDataStorage), .boolean(preservesValueInHistoryOnDeletion),
      .boolean(allowsCloudEncryption), .boolean(allowsRounding),
      .boolean(isSearchable), elementType.map { .integer(Int64($0.rawValue)) } ?? .null,
    ]
  }

  /// Whether another attribute has an equal default object; objects that are not `Hashable` are compared by their
  /// descriptions.
  fileprivate func hasSameDefaultObject(as other: AttributeDescription) -> Bool {
    guard takesAnyDefault, let one = defaultObject, let two = other.defaultObject else {
      return !takesAnyDefault || (defaultObject == nil) == (other.defaultObject == nil)
    }
    if let left = one as? AnyHashable, let right = two as? AnyHashable { return left == right }
    return String(describing: one) == String(describing: two)
  }
}

/// Comparison of user info dictionaries.
private enum UserInfo {
  /// Whether two dictionaries agree in their common keys. Values that are not `Hashable` are compared by their
  /// descriptions.
  static func agree(
    _ one: [String: any Sendable], _ two: [String: any Sendable], exactly: Bool
  ) -> Bool {
    if exactly, Set(one.keys) != Set(two.keys) { return false }
    return one.allSatisfy { key, value in
      guard let other = two[key] else { return true }
      if let left = value as? AnyHashable, let right = other as? AnyHashable {
        return left == right
      }
      return String(describing: value) == String(describing: other)
    }
  }
}
