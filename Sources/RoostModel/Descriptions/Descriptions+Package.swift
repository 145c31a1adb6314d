// SPDX-License-Identifier: Apache-2.0

// Parts of descriptions for the product of Core Data's names, where these properties have Core Data's types.

extension EntityDescription {
  /// The name of the class of the instances.
  package var ownClassName: String {
    get { managedObjectClassName }
    set { managedObjectClassName = newValue }
  }

  /// The attributes that must be unique together.
  package var ownUniquenessConstraints: [[String]] {
    get { uniquenessConstraints }
    set { uniquenessConstraints = newValue }
  }
}

extension PropertyDescription {
  /// The entity that declares the property.
  package final var ownEntity: EntityDescription? { entity }

  /// The predicates that a value must satisfy.
  package final var ownValidationPredicates: [any ModelPredicate] { validationPredicates }

  /// What is said when a predicate refuses a value.
  package final var ownValidationWarnings: [ValidationWarning] { validationWarnings }
}

extension ExpressionDescription {
  /// What is computed.
  package var ownExpression: (any ModelExpression)? {
    get { expression }
    set { expression = newValue }
  }
}

extension DerivedAttributeDescription {
  /// How the value is computed.
  package var ownDerivationExpression: (any ModelExpression)? {
    get { derivationExpression }
    set { derivationExpression = newValue }
  }
}

extension FetchedPropertyDescription {
  /// The request.
  package var ownFetchRequest: (any ModelFetchRequest)? {
    get { fetchRequest }
    set { fetchRequest = newValue }
  }
}

extension FetchIndexDescription {
  /// The condition of the records in the index.
  package var ownPartialIndexPredicate: (any ModelPredicate)? {
    get { partialIndexPredicate }
    set { partialIndexPredicate = newValue }
  }
}
