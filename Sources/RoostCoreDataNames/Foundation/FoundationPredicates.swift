// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostQuery

// Outside of Apple's systems, Foundation's predicates have no format strings. This module adds them, and converts
// predicates to the conditions of requests.

#if !canImport(Darwin)
// Foundation's classes conform to `NSCopying`: initializers in a protocol extension can return an instance of a
// subclass.
extension NSCopying where Self: NSPredicate {
  /// Returns the condition with its variables replaced by values. A variable without a value stops the program.
  public func withSubstitutionVariables(_ variables: [String: Any]) -> NSPredicate {
    orEnd {
      FetchConditions.predicate(
        of: try FetchConditions.condition(of: self).withSubstitutionVariables(variables))
    }
  }

  /// Parses a condition in Core Data's format language.
  ///
  /// ```swift
  /// request.predicate = NSPredicate(format: "name BEGINSWITH[c] %@", "a")
  /// ```
  /// The result is an `NSComparisonPredicate`, an `NSCompoundPredicate` or a predicate that is always true or false.
  /// A format that cannot be parsed stops the program, as in Core Data.
  public init(format predicateFormat: String, _ arguments: Any?...) {
    self.init(format: predicateFormat, argumentArray: arguments)
  }

  /// Parses a condition in Core Data's format language, with its arguments in an array.
  public init(format predicateFormat: String, argumentArray arguments: [Any?]?) {
    let condition = orEnd {
      try RoostQuery.FetchPredicate(format: predicateFormat, argumentArray: arguments ?? [])
    }
    let predicate = FetchConditions.predicate(of: condition)
    guard let result = predicate as? Self else {
      preconditionFailure("\(predicateFormat) is no condition of the kind \(Self.self).")
    }
    self = result
  }
}
#endif
