// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostModel

extension FetchPredicate {
  /// Makes a condition from Foundation's `#Predicate`.
  ///
  /// Comparisons, `&&`, `||`, `!`, arithmetic, `?.`, `??`, `if`, ranges, `contains`, `starts(with:)`, `hasPrefix`,
  /// `filter`, `allSatisfy`, `count` and `isEmpty` are supported.
  ///
  /// ```swift
  /// let adults = try FetchPredicate(#Predicate<Person> { $0.age >= 18 && $0.boss?.name == "Ada" })
  /// ```
  ///
  /// - Parameter predicate: The condition.
  /// - Throws: ``PersistenceError`` with code `invalidPredicate`, naming the part without a counterpart in a query,
  ///   or `limitExceeded` when it is nested too deep.
  public init<Root: KeyPathNaming>(_ predicate: Foundation.Predicate<Root>) throws {
    var translator = PredicateTranslator()
    translator.variables[predicate.variable.key] = .evaluatedObject
    self = try translator.predicate(predicate.expression)
  }
}
