// SPDX-License-Identifier: Apache-2.0

/// A predicate as a model keeps it: for validation, or for a partial index. `FetchPredicate` is one.
///
/// The model compares and prints it and never evaluates it.
///
/// ```swift
/// let warnings = age.validationPredicates.map(\.predicateFormat)
/// ```
public protocol ModelPredicate: Sendable {
  /// The predicate as Core Data prints it, as `age >= 18`.
  var predicateFormat: String { get }
}

/// An expression as a model keeps it: of a derived attribute, or of a column. `FetchExpression` is one.
///
/// ```swift
/// total.derivationExpression = UnparsedExpression("sum:(items.price)")
/// ```
public protocol ModelExpression: Sendable {
  /// The expression as Core Data prints it, as `count:(pages)`. For a derived attribute the version hash is made of it.
  var expressionFormat: String { get }
}

/// A fetch request as a model keeps it: a template, or the request of a fetched property. `FetchRequest` is one.
///
/// ```swift
/// try model.setFetchRequestTemplate(Person.where { $0.age >= 18 }, forName: "adults")
/// ```
public protocol ModelFetchRequest: Sendable {
  /// The name of the entity that is fetched; nil when it is not set yet.
  var templateEntityName: String? { get }
  /// The condition of the request, printed; nil when there is none.
  var templatePredicateFormat: String? { get }
  /// The request as it is now: what a model keeps, so that a later change of the request does not change the model.
  var templateSnapshot: any ModelFetchRequest { get }
}

/// An expression that is known by its text only.
///
/// ```swift
/// total.derivationExpression = UnparsedExpression("sum:(items.price)")
/// ```
public struct UnparsedExpression: ModelExpression, Hashable {
  /// The text.
  public let expressionFormat: String

  /// Keeps a text.
  public init(_ expressionFormat: String) {
    self.expressionFormat = expressionFormat
  }
}

/// A predicate that is known by its text only.
///
/// ```swift
/// index.partialIndexPredicate = UnparsedPredicate("isArchived == 0")
/// ```
public struct UnparsedPredicate: ModelPredicate, Hashable {
  /// The text.
  public let predicateFormat: String

  /// Keeps a text.
  public init(_ predicateFormat: String) {
    self.predicateFormat = predicateFormat
  }
}

/// What is said when a validation predicate refuses a value: a sentence, or a number that the program knows.
///
/// ```swift
/// try age.setValidationPredicates(
///   [FetchPredicate("SELF >= 18")], withValidationWarnings: ["Come back when you are older."])
/// ```
public enum ValidationWarning: Sendable, Hashable {
  /// A sentence for the user.
  case message(String)
  /// The code of the error: one of Core Data's, as 1670 for a string that is too short, or the program's own.
  case code(Int)
}

extension ValidationWarning: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
  /// Makes a sentence.
  public init(stringLiteral value: String) {
    self = .message(value)
  }

  /// Makes a number.
  public init(integerLiteral value: Int) {
    self = .code(value)
  }
}
