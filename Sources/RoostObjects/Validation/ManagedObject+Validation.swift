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
      try checkDestinations(value, relationship)
      try runHooks(&value, forKey: key)
      return
    }
    guard let attribute = binding.attribute(named: key) else { throw unknownKey(key) }
    guard let coerced = ValueCoercion.coerced(value, to: attribute.type) else {
      throw PersistenceError(
        .invalidValue, "\(key) takes no such value.", entityName: entity.name, key: key,
        value: value, objectIDs: [identity])
    }
    value = coerced
    try validateValue(&value, of: attribute)
  }

  /// Runs the model's rules and the class's own on a value (B151).
  final func validateValue(_ value: inout Value, of attribute: AttributeDescription) throws {
    try AttributeRules.check(value, of: attribute, in: self)
    guard binding.validationHooks.concern(attribute.name) else { return }
    try runHooks(&value, forKey: attribute.name)
  }

  /// Runs the class's own rules (B152). An error that says nothing of the object and the key learns them here (B155).
  final func runHooks(_ value: inout Value, forKey key: String) throws {
    do {
      try _runValidationHook(&value, forKey: key)
      try validate(&value, forKey: key)
    } catch {
      var failure =
        error as? PersistenceError
        ?? PersistenceError(.managedObjectValidation, "\(error)", underlying: error)
      failure.key = failure.key ?? key
      failure.entityName = failure.entityName ?? entity.name
      if failure.objectIDs.isEmpty { failure.objectIDs = [identity] }
      if failure.value == nil, !value.isNull { failure.value = value }
      throw failure
    }
  }

  // MARK: - Destinations as values

  /// The destination of a to-one relationship as its ID, those of a to-many one as a list of IDs.
  final func exchangeDestinations(
    _ relationship: RelationshipDescription
  ) throws(PersistenceError) -> Value {
    guard relationship.isToMany else {
      return try readDestination(relationship.ordinal).map { .objectID($0.identity) } ?? .null
    }
    return .list(try readLinks(relationship).members.map { .objectID($0.identity) })
  }

  /// Sets what ``exchangeDestinations(_:)`` returns.
  final func setExchangeDestinations(
    _ value: Value, _ relationship: RelationshipDescription
  ) throws(PersistenceError) {
    let objects = try destinations(in: value, relationship)
    if relationship.isToMany {
      setDestinations(relationship, objects)
    } else {
      setDestination(relationship, objects.first)
    }
  }

  /// The objects that a value names.
  private func destinations(
    in value: Value, _ relationship: RelationshipDescription
  ) throws(PersistenceError) -> ContiguousArray<ManagedObject> {
    var values: [Value] = []
    switch value {
    case .null: break
    case .list(let list) where relationship.isToMany: values = list
    case .objectID where !relationship.isToMany: values = [value]
    default: throw unfit(value, forKey: relationship.name)
    }
    var objects = ContiguousArray<ManagedObject>()
    for case let value in values {
      guard case .objectID(let id) = value, let context else {
        throw unfit(value, forKey: relationship.name)
      }
      objects.append(context.object(with: id))
    }
    try check(objects, for: relationship)
    return objects
  }

  /// Judges the number of destinations that a value names (B9, B150).
  private func checkDestinations(
    _ value: Value, _ relationship: RelationshipDescription
  ) throws(PersistenceError) {
    let count = try destinations(in: value, relationship).count
    try RelationshipRules.check(count, relationship, of: self)
  }
}
