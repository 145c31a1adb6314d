// SPDX-License-Identifier: Apache-2.0

/// The parsers for predicates, expressions and requests in model files, which the query layer provides.
package struct ModelTextParser: Sendable {
  /// Parses the condition of an index.
  package var predicate: @Sendable (String) throws -> any ModelPredicate
  /// Parses the expression of an element of an index.
  package var expression: @Sendable (String) throws -> any ModelExpression
  /// Parses the expression of a derived attribute, and normalises it like Xcode's compiler.
  package var derivation: @Sendable (String) throws -> any ModelExpression
  /// Makes a template or the request of a fetched property.
  package var request: @Sendable (ModelRequestText) throws -> any ModelFetchRequest

  package init(
    predicate: @escaping @Sendable (String) throws -> any ModelPredicate,
    expression: @escaping @Sendable (String) throws -> any ModelExpression,
    derivation: @escaping @Sendable (String) throws -> any ModelExpression,
    request: @escaping @Sendable (ModelRequestText) throws -> any ModelFetchRequest
  ) {
    self.predicate = predicate
    self.expression = expression
    self.derivation = derivation
    self.request = request
  }
}

/// A fetch request in a model file.
package struct ModelRequestText: Sendable {
  package var entity: EntityDescription
  package var predicate: String?
  package var fetchLimit = 0
  package var fetchBatchSize = 0
  /// Core Data's number: 0 objects, 1 IDs, 2 dictionaries, 4 a count.
  package var resultType = 0
  package var includesSubentities = true
  package var includesPropertyValues = true
  package var includesPendingChanges = true
  package var returnsObjectsAsFaults = true
  package var returnsDistinctResults = false

  init(entity: EntityDescription) {
    self.entity = entity
  }
}
