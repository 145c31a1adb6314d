// SPDX-License-Identifier: Apache-2.0

package import RoostModel
package import RoostQuery

extension BatchUpdateRequest {
  /// The value of `predicate`.
  package var condition: FetchPredicate? {
    get { predicate }
    set { predicate = newValue }
  }
}

extension EntityDescription {
  /// Calls `insertNewObject(forEntityName:into:)`.
  package static func insertObject(
    ofEntityNamed name: String, into context: ManagedObjectContext
  ) throws -> ManagedObject {
    try insertNewObject(forEntityName: name, into: context)
  }
}
