// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

// Access across relationships: `department.name`, `people.@count`.
extension ManagedObject {
  /// Returns the value at the end of a key path across relationships.
  ///
  /// Behind a to-many relationship the value is an array with the value of each destination; a collection operator
  /// may follow it: `people.@count`, `people.@sum.age`, `@avg`, `@min`, `@max`, `@unionOfObjects` and
  /// `@distinctUnionOfObjects`.
  ///
  /// ```swift
  /// let boss = try person.value(forKeyPath: "department.head.name") as? String
  /// let total = try department.value(forKeyPath: "people.@sum.salary") as? Double
  /// ```
  /// - Parameter keyPath: Property names separated by dots.
  /// - Throws: ``PersistenceError`` with code `unknownKey`, `limitExceeded` for more than 200 steps, or
  ///   `invalidValue` when an operator cannot process the values.
  /// - Complexity: At most one query for each step, for all objects that were fetched together.
  @_disfavoredOverload
  public final func value(forKeyPath keyPath: String) throws -> Any? {
    if keyPath.isEmpty || keyed.isOwnKey(keyPath) { return try value(forKey: keyPath) }
    return try keyed.value(along: keyed.steps(of: keyPath)[...])
  }

  /// Sets the property at the end of a key path across to-one relationships; it has no effect if one of them is nil.
  ///
  /// ```swift
  /// try person.setValue("Research", forKeyPath: "department.name")
  /// ```
  /// - Parameters:
  ///   - value: As for ``setValue(_:forKey:)``.
  ///   - keyPath: Property names separated by dots.
  /// - Throws: ``PersistenceError`` with code `unknownKey`, also for a step that is no to-one relationship; and the
  ///   errors of ``setValue(_:forKey:)``.
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
