// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension ValidationRunner {
  /// Runs the model's rules and the class's own on a value (B151).
  func validateValue(_ value: inout Value, of attribute: AttributeDescription) throws {
    try AttributeRules.check(value, of: attribute, in: owner)
    guard owner.binding.validation.hooks.concern(attribute.name) else { return }
    try runHooks(&value, forKey: attribute.name)
  }

  /// Runs the class's own rules (B152). An error that says nothing of the object and the key learns them here (B155).
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

  /// The destination of a to-one relationship as its ID, those of a to-many one as a list of IDs.
  func exchangeDestinations(
    _ relationship: RelationshipDescription
  ) throws(PersistenceError) -> Value {
    guard relationship.isToMany else {
      return try owner.related.readDestination(relationship.ordinal).map { .objectID($0.identity) }
        ?? .null
    }
    return .list(try owner.related.readLinks(relationship).members.map { .objectID($0.identity) })
  }

  /// Sets what ``exchangeDestinations(_:)`` returns.
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

  /// The objects that a value names.
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

  /// Judges the number of destinations that a value names (B9, B150).
  func checkDestinations(
    _ value: Value, _ relationship: RelationshipDescription
  ) throws(PersistenceError) {
    let count = try destinations(in: value, relationship).count
    try RelationshipRules.check(count, relationship, of: owner)
  }

  /// Checks all properties, and throws what fails in the form that the program expects.
  func checkProperties() throws {
    try ValidationErrors.told(of: owner, SaveValidation.checkProperties)
  }

  /// Checks that no relationship whose rule is deny has destinations that stay.
  func checkDeny() throws {
    try ValidationErrors.told(of: owner, SaveValidation.checkDeny)
  }
}
