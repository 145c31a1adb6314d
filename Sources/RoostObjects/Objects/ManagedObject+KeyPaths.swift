// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

// Access along relationships: `department.name`, `people.@count`.
extension ManagedObject {
  /// Returns the value at the end of a key path that goes through relationships.
  ///
  /// Behind a to-many relationship the value is an array with the value of each destination, and a collection operator
  /// may stand: `people.@count`, `people.@sum.age`, `@avg`, `@min`, `@max`, `@unionOfObjects` and
  /// `@distinctUnionOfObjects`.
  ///
  /// ```swift
  /// let boss = try person.value(forKeyPath: "department.head.name") as? String
  /// let total = try department.value(forKeyPath: "people.@sum.salary") as? Double
  /// ```
  /// - Parameter keyPath: Names of properties with dots between them.
  /// - Throws: ``PersistenceError`` with code `unknownKey`, `limitExceeded` for more than 200 steps, or
  ///   `invalidValue` when an operator is given values that it cannot compute with.
  /// - Complexity: At most one query for each step, for all objects that were fetched together.
  @_disfavoredOverload
  public final func value(forKeyPath keyPath: String) throws -> Any? {
    if keyPath.isEmpty || keyed.isOwnKey(keyPath) { return try value(forKey: keyPath) }
    return try keyed.value(along: keyed.steps(of: keyPath)[...])
  }

  /// Sets the property at the end of a key path that goes through to-one relationships; nothing happens where one of
  /// them leads nowhere.
  ///
  /// ```swift
  /// try person.setValue("Research", forKeyPath: "department.name")
  /// ```
  /// - Parameters:
  ///   - value: As for ``setValue(_:forKey:)``.
  ///   - keyPath: Names of properties with dots between them.
  /// - Throws: ``PersistenceError`` with code `unknownKey`, also for a step that is no to-one relationship; and what
  ///   ``setValue(_:forKey:)`` throws.
  @_disfavoredOverload
  public final func setValue(_ value: Any?, forKeyPath keyPath: String) throws {
    var object = self
    var rest = try keyed.steps(of: keyPath)[...]
    while rest.count > 1, !object.keyed.isOwnKey(rest.joined(separator: ".")) {
      let step = rest.removeFirst()
      guard let relationship = object.binding.relationship(named: step), !relationship.isToMany
      else {
        throw object.keyed.unknownKey(step)
      }
      guard let next = try object.related.readDestination(relationship.ordinal) else { return }
      object = next
    }
    try object.setValue(value, forKey: rest.joined(separator: "."))
  }
}
