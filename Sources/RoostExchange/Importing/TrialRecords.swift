// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostObjects

/// The unsaved records of a dry run, which no query to a store finds.
final class TrialRecords {
  /// The objects by the IDs in the files.
  var byID: [String: ManagedObject] = [:]
  /// The objects without a key, by their record numbers in the files.
  var byNumber: [Int: ManagedObject] = [:]

  /// Validates everything that would be saved, including objects that relationships have changed, and checks
  /// uniqueness.
  ///
  /// - Throws: Validation errors; `managedObjectConstraintMerge`.
  func validate(_ context: ManagedObjectContext, _ finder: RecordFinder) throws {
    for object in context.insertedObjects { try object.validateForInsert() }
    for object in context.updatedObjects { try object.validateForUpdate() }
    var owners: [RecordKeyValues: ManagedObject] = [:]
    var keys: [ObjectIdentifier: [EntityKey]] = [:]
    for object in context.insertedObjects.union(context.updatedObjects) {
      let known = keys[ObjectIdentifier(object.entity)] ?? EntityKey.keys(of: object.entity)
      keys[ObjectIdentifier(object.entity)] = known
      for key in known {
        let values = try key.attributes.map { try object.exchangeValue(forKey: $0.name) }
        guard !values.contains(where: \.isNull) else { continue }
        let other = owners.updateValue(object, forKey: RecordKeyValues(key, values))
        if other != nil { throw Self.taken(key.names, object) }
      }
    }
    let found = try finder.objects(with: Set(owners.keys))
    for (key, object) in found {
      guard let owner = owners[key], owner !== object, !object.isDeleted,
        object.objectID.storeIdentity == nil
          || object.objectID.storeIdentity?.identifier == finder.store.identifier
      else { continue }
      throw Self.taken(key.names, owner)
    }
  }

  private static func taken(_ names: [String], _ object: ManagedObject) -> PersistenceError {
    let name = object.entity.name ?? ""
    return PersistenceError(
      .managedObjectConstraintMerge,
      "Two records of “\(name)” would have the same \(names.joined(separator: ", ")).",
      entityName: name, key: names.first
    ).remedied(by: "Take one of the lines out, or change its values.")
  }
}
