// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension ManagedObjectContext {
  /// The error of a read that needs a round trip where the policy forbids it.
  static func forbiddenRoundTrip(_ object: ManagedObject, key: String?) -> PersistenceError {
    PersistenceError(
      .forbiddenByPolicy,
      "Reading the value needs a round trip, which allowsImplicitRoundTrips forbids.",
      entityName: object.entity.name, key: key, objectIDs: [object.identity])
  }
}
