// SPDX-License-Identifier: Apache-2.0

public import RoostModel

// Judging one value: convert it, ask the model, ask the class (B151).
extension ManagedObject {
  /// Checks a value for a property against the model's rules, then against `validate<Key>` and
  /// ``validate(_:forKey:)``.
  ///
  /// ```swift
  /// var age: Value = .string("36")
  /// try person.validateValue(&age, forKey: "age")  // now .integer(36)
  /// ```
  /// - Parameters:
  ///   - value: The value. A text becomes the number, truth value, date, UUID or URL that it is the description of; a
  ///     number or truth value becomes a text for a string; then the class may replace it. A destination is its ID, the
  ///     destinations of a to-many relationship are a list of IDs.
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
