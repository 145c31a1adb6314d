// SPDX-License-Identifier: Apache-2.0

public import RoostModel

// Conversion of a model's untyped predicates, expressions and requests.

extension FetchPredicate: ModelPredicate {
  /// Converts a predicate of a model; parses it when the model only has its text.
  ///
  /// - Throws: ``PersistenceError`` with code `invalidPredicate` or `limitExceeded`.
  public init(_ predicate: any ModelPredicate) throws {
    if let known = predicate as? FetchPredicate {
      self = known
    } else {
      self = try FetchPredicate(format: predicate.predicateFormat, argumentArray: [])
    }
  }
}

extension FetchExpression: ModelExpression {
  /// The expression as a format string, in the spelling that determines a model's version hash.
  public var expressionFormat: String { predicateFormat }

  /// Converts an expression of a model; parses it when the model only has its text.
  ///
  /// - Throws: ``PersistenceError`` with code `invalidPredicate` or `limitExceeded`.
  public init(_ expression: any ModelExpression) throws {
    if let known = expression as? FetchExpression {
      self = known
    } else {
      self = try FetchExpression(format: expression.expressionFormat, argumentArray: [])
    }
  }
}

extension FetchCriteria {
  /// Converts a request of a model.
  ///
  /// - Throws: ``PersistenceError`` with code `invalidPredicate` when the model knows a condition's text only and it
  ///   cannot be parsed.
  public init(_ request: any ModelFetchRequest) throws {
    switch request {
    case let criteria as FetchCriteria: self = criteria
    case let request as any FetchCriteriaHolder: self = request.criteria
    default:
      self.init(entityName: request.templateEntityName)
      predicate = try request.templatePredicateFormat.map {
        try FetchPredicate(format: $0, argumentArray: [])
      }
    }
  }
}

/// A request with any result type.
private protocol FetchCriteriaHolder {
  var criteria: FetchCriteria { get }
}

extension FetchRequest: FetchCriteriaHolder {}

extension ManagedObjectModel {
  /// Returns a copy of the template with a name; nil when there is none.
  ///
  /// ```swift
  /// let request: FetchRequest<Person>? = try model.fetchRequestTemplate(forName: "adults", as: Person.self)
  /// ```
  /// - Throws: `invalidPredicate` when the model knows a condition's text only and it cannot be parsed.
  public func fetchRequestTemplate<Result>(
    forName name: String, as type: Result.Type
  ) throws -> FetchRequest<Result>? {
    try fetchRequestTemplate(forName: name).map { FetchRequest(try FetchCriteria($0)) }
  }

  /// Returns a copy of the template with a name, with its variables replaced by values; nil when there is none.
  ///
  /// ```swift
  /// let request = try model.fetchRequestFromTemplate(
  ///   withName: "byName", substitutionVariables: ["name": "Ada"], as: Person.self)
  /// ```
  ///
  /// - Parameters:
  ///   - name: The name of the template.
  ///   - variables: A value for each variable; nil or `NSNull` tests for nil.
  ///   - type: The result type.
  /// - Throws: `invalidRequest` when a variable has no value, `invalidPredicate` when a value is of a type that a
  ///   predicate cannot hold.
  public func fetchRequestFromTemplate<Result>(
    withName name: String, substitutionVariables variables: [String: Any?], as type: Result.Type
  ) throws -> FetchRequest<Result>? {
    guard let template = fetchRequestTemplate(forName: name) else { return nil }
    var criteria = try FetchCriteria(template)
    criteria.predicate = try criteria.predicate?.withSubstitutionVariables(variables)
    criteria.havingPredicate = try criteria.havingPredicate.map {
      try $0.substituting(try VariableValues(variables), leavesUnknown: true)
    }
    return FetchRequest(criteria)
  }
}
