// SPDX-License-Identifier: Apache-2.0

import Foundation

// Access to several properties, and the short forms of keyed access.
extension ManagedObject {
  /// Sets several properties by name, all or none.
  ///
  /// ```swift
  /// try person.setValuesForKeys(["name": "Ada", "age": 36])
  /// ```
  /// - Parameter keyedValues: The values by property name; `NSNull` for nil.
  /// - Throws: ``PersistenceError`` with code `unknownKey`, `invalidValue` or `differentContexts`. Nothing is changed
  ///   then. Or the error of the store when a fault cannot be read.
  @_disfavoredOverload
  public final func setValuesForKeys(_ keyedValues: [String: Any]) throws {
    for (key, value) in keyedValues { try keyed.checkSettable(value, forKey: key) }
    try values.requireRead(nil)
    _ = try readMemory()
    for (key, value) in keyedValues.sorted(by: { $0.key < $1.key }) {
      try setValue(value, forKey: key)
    }
  }

  /// Returns the values of several properties, as ``value(forKey:)`` returns them; nil as `NSNull`.
  ///
  /// - Parameter keys: The names of properties.
  /// - Throws: ``PersistenceError`` with code `unknownKey`, or the error of the store.
  @_disfavoredOverload
  public final func dictionaryWithValues(forKeys keys: [String]) throws -> [String: Any] {
    var result: [String: Any] = [:]
    for key in keys { result[key] = try value(forKey: key) ?? NSNull() }
    return result
  }
}
