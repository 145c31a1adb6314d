// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostObjects

/// The unsaved records of a dry run, which no query to a store finds.
final class TrialRecords {
  /// The objects by the IDs in the files.
  var byID: [String: ManagedObject] = [:]
  /// The objects without a key, by their record numbers in the files.
  var byNumber: [Int: ManagedObject] = [:]

  /// Validates everything that would be saved, including objects that relationships have changed.
  static func validate(_ context: ManagedObjectContext) throws {
    for object in context.insertedObjects { try object.validateForInsert() }
    for object in context.updatedObjects { try object.validateForUpdate() }
  }

  /// Checks the uniqueness of a batch's records as the save of the batch would: against the stored records, and those
  /// of earlier batches.
  ///
  /// - Throws: `managedObjectConstraintMerge`, with the line.
  static func checkKeys(
    of places: [(object: ManagedObject, place: RecordPlace)], _ finder: RecordFinder
  ) throws {
    var owners: [RecordKeyValues: (object: ManagedObject, place: RecordPlace)] = [:]
    var known: [ObjectIdentifier: [EntityKey]] = [:]
    for (object, place) in places where object.isInserted || object.isUpdated {
      let entity = ObjectIdentifier(object.entity)
      let keys = known[entity] ?? EntityKey.keys(of: object.entity)
      known[entity] = keys
      for key in keys {
        let values = try key.attributes.map { try object.exchangeValue(forKey: $0.name) }
        guard !values.contains(where: \.isNull) else { continue }
        let other = owners.updateValue((object, place), forKey: RecordKeyValues(key, values))
        if let other, other.object !== object { throw taken(key.names, object).placed(place) }
      }
    }
    for (key, object) in try finder.holders(of: Set(owners.keys)) {
      guard let owner = owners[key], owner.object !== object, !object.isDeleted,
        object.objectID.storeIdentity == nil
          || object.objectID.storeIdentity?.identifier == finder.store.identifier
      else { continue }
      throw taken(key.names, owner.object).placed(owner.place)
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
