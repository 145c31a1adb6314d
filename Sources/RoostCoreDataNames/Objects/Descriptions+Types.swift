// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostModel
public import RoostQuery

// Properties of descriptions, with Core Data's types.

extension EntityDescription {
  /// The class name of the instances; `NSManagedObject` by default.
  public var managedObjectClassName: String! {
    get { ownClassName == "ManagedObject" ? "NSManagedObject" : ownClassName }
    set { ownClassName = newValue ?? "NSManagedObject" }
  }

  /// The uniqueness constraints: each is a list of attribute names or descriptions.
  public var uniquenessConstraints: [[Any]] {
    get { ownUniquenessConstraints }
    set {
      ownUniquenessConstraints = newValue.map { constraint in
        constraint.map { part in
          if let property = part as? PropertyDescription { return property.name }
          guard let name = part as? String else {
            preconditionFailure("A constraint has names or attributes, not a \(type(of: part)).")
          }
          return name
        }
      }
    }
  }
}

extension PropertyDescription {
  /// The entity that declares the property; an unnamed entity if there is none.
  public final var entity: NSEntityDescription { ownEntity ?? EntityDescription() }

  /// The predicates that a value must satisfy when it is saved.
  public final var validationPredicates: [NSPredicate] {
    ownValidationPredicates.map { FetchConditions.predicate(of: FetchConditions.parsed($0)) }
  }

  /// The warnings for the predicates with the same indices: strings or numbers.
  public final var validationWarnings: [Any] {
    ownValidationWarnings.map { warning in
      switch warning {
      case .message(let text): text
      case .code(let code): code
      }
    }
  }
}

extension ExpressionDescription {
  /// The expression to compute.
  public var expression: NSExpression? {
    get { ownExpression.map(FetchConditions.expression(of:)) }
    set { ownExpression = newValue.map { FetchConditions.expression(of: $0) } }
  }
}

extension DerivedAttributeDescription {
  /// The expression that computes the value.
  public var derivationExpression: NSExpression? {
    get { ownDerivationExpression.map(FetchConditions.expression(of:)) }
    set { ownDerivationExpression = newValue.map { FetchConditions.expression(of: $0) } }
  }
}

extension FetchedPropertyDescription {
  /// The request, in which `$FETCH_SOURCE` and `$FETCHED_PROPERTY` are the object and this description. Later changes
  /// of the request do not change the property.
  public var fetchRequest: NSFetchRequest<any NSFetchRequestResult>? {
    get {
      (ownFetchRequest as? any TemplateRequest).map { FetchRequest($0.criteria) }
    }
    set { ownFetchRequest = newValue }
  }
}

extension FetchIndexDescription {
  /// The condition of the records in the index; nil for all.
  public var partialIndexPredicate: NSPredicate? {
    get {
      ownPartialIndexPredicate.map { FetchConditions.predicate(of: FetchConditions.parsed($0)) }
    }
    set {
      ownPartialIndexPredicate = newValue.map { predicate in
        orEnd { try FetchConditions.condition(of: predicate) }
      }
    }
  }
}

/// A request with any result type.
private protocol TemplateRequest {
  var criteria: FetchCriteria { get }
}

extension FetchRequest: TemplateRequest {}

extension FetchConditions {
  /// Returns the condition for a predicate of a model, which may not have been parsed yet.
  static func parsed(_ predicate: any ModelPredicate) -> FetchPredicate {
    if let known = predicate as? FetchPredicate { return known }
    return orEnd { try FetchPredicate(format: predicate.predicateFormat, argumentArray: []) }
  }

  /// Returns the expression for one of a model, which may not have been parsed yet.
  static func expression(of expression: any ModelExpression) -> NSExpression {
    if let known = expression as? RoostQuery.FetchExpression { return self.expression(of: known) }
    return self.expression(
      of: orEnd {
        try RoostQuery.FetchExpression(
          format: expression.expressionFormat, argumentArray: [])
      })
  }
}
