// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension ValidationRunner {
  /// Validates a value by the model's rules and the class's own (B151).
  func validateValue(_ value: inout Value, of attribute: AttributeDescription) throws {
    try AttributeRules.check(value, of: attribute, in: owner)
    guard owner.binding.validation.hooks.concern(attribute.name) else { return }
    try runHooks(&value, forKey: attribute.name)
  }

  /// Runs the class's own rules (B152). An error without an object and a key gets them here (B155).
  func runHooks(_ value: inout Value, forKey key: String) throws {
    do {
      try owner._runValidationHook(&value, forKey: key)
      try owner.validate(&value, forKey: key)
    } catch {
      var failure =
        error as? PersistenceError
        ?? PersistenceError(.managedObjectValidation, "\(error)", underlying: error)
      failure.key = failure.key ?? key
      failure.entityName = failure.entityName ?? owner.entity.name
      if failure.objectIDs.isEmpty { failure.objectIDs = [owner.identity] }
      if failure.value == nil, !value.isNull { failure.value = value }
      throw failure
    }
  }

  /// Returns the destination of a to-one relationship as its ID, those of a to-many one as a list of IDs.
  func exchangeDestinations(
    _ relationship: RelationshipDescription
  ) throws(PersistenceError) -> Value {
    guard relationship.isToMany else {
      return try owner.related.readDestination(relationship.ordinal).map { .objectID($0.identity) }
        ?? .null
    }
    return .list(try owner.related.readLinks(relationship).members.map { .objectID($0.identity) })
  }

  /// Sets the destinations from a value as returned by ``exchangeDestinations(_:)``.
  func setExchangeDestinations(
    _ value: Value, _ relationship: RelationshipDescription
  ) throws(PersistenceError) {
    let objects = try destinations(in: value, relationship)
    if relationship.isToMany {
      owner.editor.setDestinations(relationship, objects)
    } else {
      owner.editor.setDestination(relationship, objects.first)
    }
  }

  /// Returns the objects whose IDs are in a value.
  private func destinations(
    in value: Value, _ relationship: RelationshipDescription
  ) throws(PersistenceError) -> ContiguousArray<ManagedObject> {
    var values: [Value] = []
    switch value {
    case .null: break
    case .list(let list) where relationship.isToMany: values = list
    case .objectID where !relationship.isToMany: values = [value]
    default: throw owner.keyed.unfit(value, forKey: relationship.name)
    }
    var objects = ContiguousArray<ManagedObject>()
    for case let value in values {
      guard case .objectID(let id) = value, let context = owner.context else {
        throw owner.keyed.unfit(value, forKey: relationship.name)
      }
      objects.append(context.object(with: id))
    }
    try owner.keyed.check(objects, for: relationship)
    return objects
  }

  /// Validates the number of destinations in a value (B9, B150).
  func checkDestinations(
    _ value: Value, _ relationship: RelationshipDescription
  ) throws(PersistenceError) {
    let count = try destinations(in: value, relationship).count
    try RelationshipRules.check(count, relationship, of: owner)
  }

  /// Validates all properties, and throws failures in the form that the program expects.
  func checkProperties() throws {
    try ValidationErrors.told(of: owner, SaveValidation.checkProperties)
  }

  /// Checks that no relationship with the deny rule has remaining destinations.
  func checkDeny() throws {
    try ValidationErrors.told(of: owner, SaveValidation.checkDeny)
  }
}
