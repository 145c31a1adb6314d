// SPDX-License-Identifier: Apache-2.0

extension DifferenceFinder {
  /// Compares an attribute with its source; returns no pairs when it is not stored.
  mutating func compare(
    _ match: AttributeMatch, in entity: PropertyMatches
  ) -> [ModelDifference.PropertyPair] {
    let attribute = match.destination
    guard attribute.isStored else {
      tellIfStoredBefore(match, in: entity)
      return []
    }
    guard entity.source != nil else {
      return [.init(nil, attribute, elements: newElements(of: match))]
    }
    if match.isComposite { return [compareComposite(match, in: entity)] }
    let result = compareValues(match, in: entity)
    return [
      .init(
        result.source, attribute, sourceName: result.source == nil ? nil : match.sourceName,
        conversion: result.conversion, isComputed: result.isComputed,
        elements: newElements(of: match))
    ]
  }

  private mutating func tellIfStoredBefore(_ match: AttributeMatch, in entity: PropertyMatches) {
    guard let source = match.source, source.isStored,
      told.insert(PropertyPairKey(source, match.destination)).inserted
    else { return }
    tell(.attributeBecameTransient, match.destination.declaringEntity, match.name)
  }

  private func newElements(of match: AttributeMatch) -> [ModelDifference.ElementPair] {
    guard let composite = match.destination as? CompositeAttributeDescription else { return [] }
    return composite.leaves.map {
      .init(
        source: nil, sourceName: nil, destination: $0.attribute, destinationName: $0.name,
        conversion: nil)
    }
  }

  // MARK: Composites

  private mutating func compareComposite(
    _ match: AttributeMatch, in entity: PropertyMatches
  ) -> ModelDifference.PropertyPair {
    let attribute = match.destination
    let isNew = !(match.source?.isStored ?? false)
    if isNew {
      noteNew(match, in: entity)
    } else if let source = match.source {
      if compareNames(source, match) { compareRules(source, match) }
      compareOptionality(source, match, in: entity)
    }
    let elements = compareElements(of: match, in: entity, isNew: isNew)
    return .init(isNew ? nil : match.source, attribute, elements: elements)
  }

  private mutating func compareElements(
    of match: AttributeMatch, in entity: PropertyMatches, isNew: Bool
  ) -> [ModelDifference.ElementPair] {
    var result: [ModelDifference.ElementPair] = []
    for element in match.elements where element.destination.isStored {
      if element.isComposite {
        if !isNew, let source = element.source { compareNames(source, element) }
        if !isNew, element.source == nil { noteNew(element, in: entity) }
        result += compareElements(
          of: element, in: entity, isNew: isNew || element.source == nil)
        continue
      }
      // The elements of a new composite are reported with it, unless they were attributes.
      let isPartOfNew = isNew && element.source == nil
      let compared =
        isPartOfNew ? nil : compareValues(element, in: entity)
      result.append(
        .init(
          source: compared?.source,
          sourceName: compared?.source == nil ? nil : element.sourceName,
          destination: element.destination, destinationName: element.name,
          conversion: compared?.conversion))
    }
    return result
  }

  // MARK: Values

  private struct Comparison {
    var source: AttributeDescription?
    var conversion: ValueConversion?
    var isComputed = false
  }

  private mutating func compareValues(
    _ match: AttributeMatch, in entity: PropertyMatches
  ) -> Comparison {
    let attribute = match.destination
    let derived = attribute as? DerivedAttributeDescription
    guard let source = match.source, source.isStored else {
      noteNew(match, in: entity)
      return Comparison(isComputed: derived != nil)
    }
    let isFirst = compareNames(source, match)
    if let derived {
      let isComputed = !derived.isComputed(like: source)
      if isFirst, isComputed {
        let wasSet = !(source is DerivedAttributeDescription)
        tell(
          .attributeComputed, attribute.declaringEntity, match.name,
          "as \(derived.derivationExpression?.expressionFormat ?? "")", isLossy: wasSet)
      }
      let isHeldAlike = source.type.slotKind == attribute.type.slotKind
      return Comparison(source: isHeldAlike ? source : nil, isComputed: isComputed)
    }
    if isFirst { compareRules(source, match) }
    let conversion = compareTypes(source, match, isFirst: isFirst)
    compareOptionality(source, match, in: entity)
    return Comparison(source: source, conversion: conversion)
  }

  /// - Returns: Whether the two are compared for the first time: inherited properties are compared in each subentity.
  @discardableResult
  private mutating func compareNames(
    _ source: AttributeDescription, _ match: AttributeMatch
  ) -> Bool {
    let attribute = match.destination
    guard told.insert(PropertyPairKey(source, attribute)).inserted else { return false }
    let owner = attribute.declaringEntity
    if match.changedPlace {
      tell(.attributeTypeChanged, owner, match.name, "which was \(match.sourceName ?? "")")
      return true
    }
    if source.name != attribute.name {
      tell(.attributeRenamed, owner, match.name, "which was \(source.name)")
    }
    let isElement = attribute.composite.owner != nil
    if !isElement, !parts.areSame(source.entity, attribute.entity) {
      let former = source.entity?.name ?? ""
      tell(.attributeMoved, owner, match.name, "which was \(former).\(source.name)")
    }
    return true
  }

  private mutating func compareRules(_ source: AttributeDescription, _ match: AttributeMatch) {
    let attribute = match.destination
    let owner = attribute.declaringEntity
    if source is DerivedAttributeDescription { tell(.attributeNoLongerDerived, owner, match.name) }
    if source.allowsExternalBinaryDataStorage != attribute.allowsExternalBinaryDataStorage {
      tell(.attributeStorageChanged, owner, match.name)
    }
    if source.preservesValueInHistoryOnDeletion != attribute.preservesValueInHistoryOnDeletion
      || source.versionHashModifier != attribute.versionHashModifier
    {
      tell(.versionChanged, owner, match.name)
    }
    if ValueText.defaultNode(of: source) != ValueText.defaultNode(of: attribute) {
      tell(.attributeDefaultChanged, owner, match.name)
    }
  }

  private mutating func compareTypes(
    _ source: AttributeDescription, _ match: AttributeMatch, isFirst: Bool
  ) -> ValueConversion? {
    let (old, new) = (source.type, match.destination.type)
    let change = TypeChange(from: old, to: new)
    guard change != .none else { return nil }
    let owner = match.destination.declaringEntity
    if case .lossless = change, allowsLosslessTypeChanges {
      if isFirst, !match.changedPlace {
        tell(.attributeTypeChanged, owner, match.name, "which was \(old) and is \(new)")
      }
      return change.conversion
    }
    guard isFirst else { return nil }
    let help =
      change == .lossy
      ? "give it a renaming identifier of its own, so that it is a new attribute and the old values go, or "
        + "convert them with a mapping model"
      : "nothing would be lost, so allow it with `allowsLosslessTypeChanges`, or use a mapping model"
    refuse("The type changes from \(old) to \(new): \(help).", owner, match.name)
    return nil
  }

  private mutating func compareOptionality(
    _ source: AttributeDescription, _ match: AttributeMatch, in entity: PropertyMatches
  ) {
    let attribute = match.destination
    let owner = attribute.declaringEntity
    let key = PropertyPairKey(source, attribute)
    if source.isOptional == attribute.isOptional || match.changedPlace && attribute.isOptional {
      return
    }
    if !attribute.isOptional, entity.hasRecords, !attribute.hasDefault,
      toldRefusals.insert(key).inserted
    {
      refuse(
        "The attribute may be nil in the records and must have a value now: give it a default, "
          + "which replaces nil.", owner, match.name)
    }
    guard toldOptionality.insert(key).inserted else { return }
    tell(
      attribute.isOptional ? .attributeBecameOptional : .attributeBecameRequired, owner, match.name)
  }

  // MARK: New attributes

  /// Records an attribute, or an element of a composite, that records gain.
  private mutating func noteNew(_ match: AttributeMatch, in entity: PropertyMatches) {
    let attribute = match.destination
    if match.source == nil {
      gains.note(attribute, match.name, in: entity)
    } else if told.insert(PropertyPairKey(match.source, attribute)).inserted {
      tell(.attributeBecameStored, attribute.declaringEntity, match.name)
    }
    guard entity.hasRecords, !attribute.isOptional, !attribute.hasDefault,
      !match.elements.contains(where: { $0.source != nil }),
      toldRefusals.insert(PropertyPairKey(match.source, attribute)).inserted
    else { return }
    refuse(
      "The attribute must have a value, and records have none yet: give it a default, or make it "
        + "optional.", attribute.declaringEntity, match.name)
  }
}

extension PropertyDescription {
  /// The entity that declares the property, or the composite that it is an element of.
  final var declaringEntity: EntityDescription? {
    guard var attribute = self as? AttributeDescription else { return entity }
    for _ in 0...CompositeAttributeDescription.largestDepth {
      guard let composite = attribute.composite.owner else { break }
      attribute = composite
    }
    return attribute.entity
  }
}

extension AttributeDescription {
  /// Whether records can get a default: for a composite, some element must have one, and every required element.
  fileprivate var hasDefault: Bool {
    if self is DerivedAttributeDescription { return true }
    guard let composite = self as? CompositeAttributeDescription else {
      return !initialValue.isNull
    }
    let leaves = composite.leaves.map(\.attribute)
    return leaves.contains { !$0.initialValue.isNull }
      && leaves.allSatisfy { $0.isOptional || !$0.initialValue.isNull }
  }
}

extension DerivedAttributeDescription {
  /// Whether stored values can stay, because they were computed in the same way.
  fileprivate func isComputed(like source: AttributeDescription) -> Bool {
    guard let source = source as? DerivedAttributeDescription, source.type == type else {
      return false
    }
    return source.derivationExpression?.expressionFormat == derivationExpression?.expressionFormat
  }
}
