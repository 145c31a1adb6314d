// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// Validates all objects that a save is about to write, and collects all failures (B148 to B159).
enum SaveValidation {
  /// The maximum number of rounds in which validation may replace values.
  static let rounds = 100

  /// Validates all changed objects; objects changed by the validation are validated again (B159).
  static func validate(in context: ManagedObjectContext) throws(PersistenceError) {
    var round = context.changes.entries
    for _ in 0..<rounds {
      context.changes.startListening()
      let failures = failures(of: round)
      round = context.changes.stopListening()
      if !failures.isEmpty { throw summary(failures) }
      if round.isEmpty { return }
    }
    throw PersistenceError(
      .endlessWillSave, "Validation replaced values \(rounds) times.",
      objectIDs: round.compactMap { $0?.identity })
  }

  private static func failures(of objects: ContiguousArray<ManagedObject?>) -> [PersistenceError] {
    var result: [PersistenceError] = []
    objects.forEachHeld { object in
      guard !object.flags.contains(.inaccessible) else { return }
      object.settled.removeAll()
      do {
        if object.flags.contains(.inserted) {
          if object.isFault { _ = object.fire() }
          try object.validateForInsert()
        } else if object.flags.contains(.deleted) {
          try object.validateForDelete()
        } else if object.flags.contains(.updated) {
          try object.validateForUpdate()
        }
      } catch {
        result += flattened(error, object)
      }
    }
    return result
  }

  /// Returns a single failure as it is, several as one error that contains them (B153, B154).
  static func summary(_ failures: [PersistenceError]) -> PersistenceError {
    guard failures.count != 1 else { return failures[0] }
    return PersistenceError(
      .validationMultipleErrors, "\(failures.count) validations failed.",
      objectIDs: failures.flatMap(\.objectIDs), underlyingErrors: failures)
  }

  /// Returns the failures that an override threw: an error of its own, a `PersistenceError`, or a list of these.
  static func flattened(_ error: any Error, _ object: ManagedObject) -> [PersistenceError] {
    guard let error = ValidationErrors.original(error) else {
      return [
        PersistenceError(
          .managedObjectValidation, "\(error)", entityName: object.entity.name,
          objectIDs: [object.identity], underlying: error)
      ]
    }
    return error.code == .validationMultipleErrors ? error.underlyingErrors : [error]
  }

  /// Validates every property of an object against the model's rules and the class's own (B150, B153).
  static func checkProperties(of object: ManagedObject) throws(PersistenceError) {
    let binding = object.binding
    let row = object.row
    var isSound = false
    if let row { isSound = binding.validation.rowCheck.accepts(row) }
    // For most objects this is the whole validation.
    if isSound, binding.validation.isJudgedByRow { return }
    var failures: [PersistenceError] = []
    for index in isSound ? binding.validation.rowCheck.others : Array(binding.attributes.indices) {
      if let row, binding.validation.attributeChecks[index].accepts(row) { continue }
      do {
        try self.check(binding.attributes[index], of: object)
      } catch {
        failures += flattened(error, object)
      }
    }
    for relationship in binding.validation.relationships {
      do {
        try check(relationship, of: object)
      } catch {
        failures += flattened(error, object)
      }
    }
    if !failures.isEmpty { throw summary(failures) }
  }

  /// Validates one attribute; a value replaced by the class is written back (B151).
  private static func check(
    _ attribute: AttributeDescription, of object: ManagedObject
  ) throws {
    guard object.values.needsValidation(attribute) else { return }
    let value = try object.values.readValue(of: attribute)
    // The rules check a decimal as rounded by the store, and the object keeps that value.
    var validated = attribute.roundedToStore(value)
    try object.validator.validateValue(&validated, of: attribute)
    if validated != value { try object.values.setAttributeValue(validated, of: attribute) }
  }

  /// Validates one relationship; its destinations are read only for a class that validates it.
  private static func check(
    _ relationship: RelationshipDescription, of object: ManagedObject
  ) throws {
    let hasHook = object.binding.validation.hooks.concern(relationship.name)
    if RelationshipRules.needsCheck(relationship, of: object) {
      try RelationshipRules.check(relationship, of: object)
    }
    guard hasHook, RelationshipRules.isTouched(relationship, of: object) else { return }
    let value = try object.validator.exchangeDestinations(relationship)
    var validated = value
    try object.validator.runHooks(&validated, forKey: relationship.name)
    if validated != value { try object.validator.setExchangeDestinations(validated, relationship) }
  }

  /// Checks that no relationship with the deny rule has remaining destinations (B87).
  static func checkDeny(of object: ManagedObject) throws(PersistenceError) {
    if object.binding.deletion.denied.isEmpty { return }
    var failures: [PersistenceError] = []
    for relationship in object.binding.deletion.denied {
      let remaining = try object.related.readDestinations(relationship).filter {
        !$0.flags.contains(.deleted)
      }
      guard !remaining.isEmpty else { continue }
      failures.append(
        PersistenceError(
          .validationRelationshipDeniedDelete,
          ValidationMessages(entity: object.entity).sentence(
            "%@ still has %d destinations.", relationship, [remaining.count]),
          entityName: object.entity.name, key: relationship.name, objectIDs: [object.identity]))
    }
    if !failures.isEmpty { throw summary(failures) }
  }
}
