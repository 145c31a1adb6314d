// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostModel
import RoostObjects
public import RoostQuery

// Foundation's predicates on Linux have no format strings: here they do, and become the conditions of requests.

/// A condition under the name of Foundation's class; on Linux, what a format string becomes.
///
/// ```swift
/// let adults = NSPredicate(format: "age >= %d", 18)
/// precondition(adults.evaluate(with: ["age": 36]))
/// ```
public class FormatPredicate: NSPredicate {
  final let predicate: FetchPredicate

  init(_ predicate: FetchPredicate) {
    self.predicate = predicate
    #if canImport(Darwin)
    super.init()
    #else
    super.init(value: false)
    #endif
  }

  /// The condition as a format string.
  public override var predicateFormat: String { predicate.predicateFormat }

  /// Returns nil: predicates are not archived.
  public required init?(coder: NSCoder) {
    nil
  }

  /// Returns the predicate, which does not change.
  public override func copy(with zone: NSZone? = nil) -> Any {
    self
  }

  /// Whether the conditions are equal.
  public override func isEqual(_ object: Any?) -> Bool {
    (object as? FormatPredicate)?.predicate == predicate
  }

  /// The hash of the condition.
  public override var hash: Int { predicate.hashValue }

  /// Whether a managed object satisfies the condition, or another value: a string, number or date as `SELF`, a
  /// dictionary by its keys. A condition that cannot be judged ends the program, as on Apple's systems.
  public override func evaluate(
    with object: Any?, substitutionVariables bindings: [String: Any]?
  ) -> Bool {
    orEnd {
      let filled = try bindings.map(predicate.withSubstitutionVariables) ?? predicate
      if let object = object as? ManagedObject { return try filled.evaluate(with: object) }
      return try PlainCondition(predicate: filled).isSatisfied(by: object)
    }
  }
}

#if !canImport(Darwin)
/// Gives Foundation's class initializers that return an instance of another class.
public protocol FormattedPredicate {}

extension NSPredicate: FormattedPredicate {}

extension FormattedPredicate where Self: NSPredicate {
  /// Returns the condition with values in the place of its variables (B18). A variable without a value ends the
  /// program.
  public func withSubstitutionVariables(_ variables: [String: Any]) -> NSPredicate {
    do {
      return FormatPredicate(try FetchPredicate(self).withSubstitutionVariables(variables))
    } catch {
      preconditionFailure("\(error)")
    }
  }

  /// Parses a condition in Core Data's format language.
  ///
  /// ```swift
  /// request.predicate = NSPredicate(format: "name BEGINSWITH[c] %@", "a")
  /// ```
  /// A format that cannot be parsed ends the program, as in Core Data; use `FetchPredicate(_:_:)` for formats that come
  /// from outside.
  public init(format predicateFormat: String, _ arguments: Any?...) {
    self.init(format: predicateFormat, argumentArray: arguments)
  }

  /// Parses a condition in Core Data's format language, with its arguments in an array.
  public init(format predicateFormat: String, argumentArray arguments: [Any?]?) {
    do {
      let predicate = try FetchPredicate(format: predicateFormat, argumentArray: arguments ?? [])
      self = unsafeDowncast(FormatPredicate(predicate), to: Self.self)
    } catch {
      preconditionFailure("\(error)")
    }
  }
}
#endif

extension FetchPredicate {
  /// Makes a condition of one of Foundation's.
  ///
  /// - Throws: ``PersistenceError`` with code `invalidPredicate` for a block, which no store can judge.
  public init(_ predicate: NSPredicate) throws {
    if let compound = predicate as? NSCompoundPredicate {
      let parts = try (compound.subpredicates as [Any]).map { part in
        guard let part = part as? NSPredicate else {
          throw PersistenceError(.invalidPredicate, "a part of a condition is no predicate")
        }
        return try FetchPredicate(part)
      }
      switch compound.compoundPredicateType {
      case .and: self = .and(parts)
      case .or: self = .or(parts)
      case .not: self = .not(parts.first ?? .constant(true))
      @unknown default: throw PersistenceError(.invalidPredicate, "an unknown compound")
      }
      return
    }
    if let known = predicate as? FormatPredicate {
      self = known.predicate
      return
    }
    #if canImport(Darwin)
    self = try FetchPredicate(format: predicate.predicateFormat, argumentArray: [])
    #else
    if predicate == NSPredicate(value: true) {
      self = .constant(true)
    } else if predicate == NSPredicate(value: false) {
      self = .constant(false)
    } else {
      throw PersistenceError(.invalidPredicate, "a predicate of a block cannot be given to a store")
    }
    #endif
  }

  /// The condition under the name of Foundation's class.
  public var foundationPredicate: NSPredicate { FormatPredicate(self) }
}
