// SPDX-License-Identifier: Apache-2.0

public import RoostModel

// Validation of one value: conversion, the model's rules, the class's rules (B151).
extension ManagedObject {
  /// Validates a value for a property against the model's rules, then against `validate<Key>` and
  /// ``validate(_:forKey:)``.
  ///
  /// ```swift
  /// var age: Value = .string("36")
  /// try person.validateValue(&age, forKey: "age")  // now .integer(36)
  /// ```
  /// - Parameters:
  ///   - value: The value. A text is converted to the number, truth value, date, UUID or URL that it describes; a
  ///     number or truth value is converted to a text for a string; then the class may replace it. A destination is
  ///     given by its ID, the destinations of a to-many relationship by a list of IDs.
  ///   - key: The name of an attribute or relationship.
  /// - Throws: ``PersistenceError`` with a validation code, with `invalidValue` for a value that cannot be converted,
  ///   or with `unknownKey`.
  public final func validateValue(_ value: inout Value, forKey key: String) throws {
    if let relationship = binding.relationship(named: key) {
      try validator.checkDestinations(value, relationship)
      try validator.runHooks(&value, forKey: key)
      return
    }
    guard let attribute = binding.attribute(named: key) else { throw keyed.unknownKey(key) }
    guard let coerced = ValueCoercion.coerced(value, to: attribute.type) else {
      throw PersistenceError(
        .invalidValue, "\(key) takes no such value.", entityName: entity.name, key: key,
        value: value, objectIDs: [identity])
    }
    value = coerced
    try validator.validateValue(&value, of: attribute)
  }

  // MARK: - Destinations as values
}
