// SPDX-License-Identifier: Apache-2.0

/// A predicate in a model: for validation, or for a partial index. `FetchPredicate` conforms to it.
///
/// The model compares and prints it and never evaluates it.
///
/// ```swift
/// let warnings = age.validationPredicates.map(\.predicateFormat)
/// ```
public protocol ModelPredicate: Sendable {
  /// The predicate as Core Data prints it, such as `age >= 18`.
  var predicateFormat: String { get }
}

/// An expression in a model: of a derived attribute, or of a column. `FetchExpression` conforms to it.
///
/// ```swift
/// total.derivationExpression = UnparsedExpression("sum:(items.price)")
/// ```
public protocol ModelExpression: Sendable {
  /// The expression as Core Data prints it, such as `count:(pages)`. It determines the version hash of a derived
  /// attribute.
  var expressionFormat: String { get }
}

/// A fetch request in a model: a template, or the request of a fetched property. `FetchRequest` conforms to it.
///
/// ```swift
/// try model.setFetchRequestTemplate(Person.where { $0.age >= 18 }, forName: "adults")
/// ```
public protocol ModelFetchRequest: Sendable {
  /// The name of the fetched entity; nil when it is not set yet.
  var templateEntityName: String? { get }
  /// The predicate format of the request; nil without a predicate.
  var templatePredicateFormat: String? { get }
  /// A snapshot of the request for the model, so that a later change of the request does not change the model.
  var templateSnapshot: any ModelFetchRequest { get }
}

/// An expression of which only the text is known.
///
/// ```swift
/// total.derivationExpression = UnparsedExpression("sum:(items.price)")
/// ```
public struct UnparsedExpression: ModelExpression, Hashable {
  /// The text.
  public let expressionFormat: String

  /// Makes a value from its text.
  public init(_ expressionFormat: String) {
    self.expressionFormat = expressionFormat
  }
}

/// A predicate of which only the text is known.
///
/// ```swift
/// index.partialIndexPredicate = UnparsedPredicate("isArchived == 0")
/// ```
public struct UnparsedPredicate: ModelPredicate, Hashable {
  /// The text.
  public let predicateFormat: String

  /// Makes a value from its text.
  public init(_ predicateFormat: String) {
    self.predicateFormat = predicateFormat
  }
}

/// The warning for a value that a validation predicate refuses: a sentence, or an error code.
///
/// ```swift
/// try age.setValidationPredicates(
///   [FetchPredicate("SELF >= 18")], withValidationWarnings: ["Come back when you are older."])
/// ```
public enum ValidationWarning: Sendable, Hashable {
  /// A sentence for the user.
  case message(String)
  /// The code of the error: one of Core Data's, such as 1670 for a string that is too short, or the program's own.
  case code(Int)
}

extension ValidationWarning: ExpressibleByStringLiteral, ExpressibleByIntegerLiteral {
  /// Makes a message.
  public init(stringLiteral value: String) {
    self = .message(value)
  }

  /// Makes a code.
  public init(integerLiteral value: Int) {
    self = .code(value)
  }
}
