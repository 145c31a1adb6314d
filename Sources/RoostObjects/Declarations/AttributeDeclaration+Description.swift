// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery

extension AttributeDeclaration {
  /// Creates the description of the attribute.
  func description(named name: String) -> AttributeDescription {
    let description = makeDescription(name)
    description.isOptional = mayBeNil
    description.isTransient = options.contains(.transient)
    if let made = description as? CompositeAttributeDescription, let composite {
      made.complete(
        isOptional: mayBeNil, initial: makeDefault?().elementValues(composite.leaves.count))
    } else {
      description.defaultConstant = makeDefault?() ?? .null
    }
    description.allowsExternalBinaryDataStorage = options.contains(.externalStorage)
    description.preservesValueInHistoryOnDeletion = options.contains(.preservesValueOnDeletion)
    description.allowsCloudEncryption = options.contains(.allowsCloudEncryption)
    description.allowsRounding = !options.contains(.exact)
    description.isSearchable = options.contains(.searchable)
    description.isIndexedBySpotlight = options.contains(.spotlight)
    description.renamingIdentifier = originalName
    description.versionHashModifier = versionHashModifier
    description.regularExpression = pattern
    description.valueTransformerName = transformerName
    description.transformableCodec = codec
    description.elementType = elementType
    description.userInfo = userInfo
    setBounds(of: description)
    return description
  }

  private func makeDescription(_ name: String) -> AttributeDescription {
    if let composite {
      return CompositeAttributeDescription(name: name, elements: composite.makeElements())
    }
    guard let derivation else { return AttributeDescription(name: name, type: type) }
    let derived = DerivedAttributeDescription(name: name, type: type)
    derived.derivationExpression = expression(of: derivation)
    return derived
  }

  /// An expression that cannot be parsed is kept: the validation of the model reports its error.
  private func expression(of derivation: String) -> any ModelExpression {
    let parsed = try? FetchExpression(format: derivation, argumentArray: [])
    return parsed?.derivationForm ?? UnparsedExpression(derivation)
  }

  /// A string has bounds for its length, every other type for its value.
  private func setBounds(of description: AttributeDescription) {
    if type == .string {
      description.minLength = length(minimum)
      description.maxLength = length(maximum)
    } else {
      description.minValue = minimum.map { $0.coerced(to: type) ?? $0 }
      description.maxValue = maximum.map { $0.coerced(to: type) ?? $0 }
    }
  }

  private func length(_ bound: Value?) -> Int? {
    guard case .integer(let count)? = bound else { return nil }
    return Int(clamping: count)
  }
}

extension RelationshipDeclaration {
  /// Creates the description of the relationship, without its destination and inverse.
  func description(named name: String) -> RelationshipDescription {
    let description = RelationshipDescription(name: name, maxCount: isToMany ? maxCount : 1)
    description.isOptional = isOptional
    description.isOrdered = isOrdered
    description.isTransient = isTransient
    description.mayCrossStores = crossesStores
    description.minCount = minCount
    description.deleteRule = deleteRule
    description.renamingIdentifier = originalName
    description.versionHashModifier = versionHashModifier
    description.userInfo = userInfo
    return description
  }
}
