// SPDX-License-Identifier: Apache-2.0

// Accessors for the product `RoostCoreDataNames`, where these properties have Core Data's types.

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

  /// The warnings for values that a predicate refuses.
  package final var ownValidationWarnings: [ValidationWarning] { validationWarnings }
}

extension ExpressionDescription {
  /// The computed expression.
  package var ownExpression: (any ModelExpression)? {
    get { expression }
    set { expression = newValue }
  }
}

extension DerivedAttributeDescription {
  /// The expression that computes the value.
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
