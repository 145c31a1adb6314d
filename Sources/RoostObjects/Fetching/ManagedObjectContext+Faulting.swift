// SPDX-License-Identifier: Apache-2.0

import RoostModel

// Reading what a fault stands for: from the coordinator's cache, or from a store for all objects of a group at once.
extension ManagedObjectContext {
  static func forbiddenRoundTrip(_ object: ManagedObject, key: String?) -> PersistenceError {
    PersistenceError(
      .forbiddenByPolicy,
      "Reading the value needs a round trip, which allowsImplicitRoundTrips forbids.",
      entityName: object.entity.name, key: key, objectIDs: [object.identity])
  }
}
