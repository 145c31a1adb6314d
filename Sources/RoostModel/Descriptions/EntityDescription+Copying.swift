// SPDX-License-Identifier: Apache-2.0

extension EntityDescription {
  /// Returns an entity with copies of the properties and indexes that belongs to no model and can be changed.
  ///
  /// The copy stands outside the hierarchy; its relationships still lead to the same entities. Copy the model to get
  /// everything at once.
  public func copy() -> EntityDescription {
    let copy = EntityDescription(name: name)
    copy.managedObjectClass = managedObjectClass
    copy.managedObjectClassName = managedObjectClassName
    copy.isAbstract = isAbstract
    copy.userInfo = userInfo
    copy.versionHashModifier = versionHashModifier
    copy.uniquenessConstraints = uniquenessConstraints
    copy.coreSpotlightDisplayNameExpression = coreSpotlightDisplayNameExpression
    copy.explicitRenamingIdentifier = explicitRenamingIdentifier
    let properties = declaredProperties.map { $0.copy() }
    copy.declaredProperties = properties
    let replacements = Dictionary(
      zip(declaredProperties, properties).map { (ObjectIdentifier($0), $1) },
      uniquingKeysWith: { first, _ in first })
    copy.indexes = indexes.map { index in
      let indexCopy = index.copy()
      for element in indexCopy.elements {
        guard let property = element.property else { continue }
        element.property = replacements[ObjectIdentifier(property)] ?? property
      }
      return indexCopy
    }
    return copy
  }
}
