// SPDX-License-Identifier: Apache-2.0

package import RoostModel
package import RoostQuery

extension BatchUpdateRequest {
  /// What `predicate` is.
  package var condition: FetchPredicate? {
    get { predicate }
    set { predicate = newValue }
  }
}

extension EntityDescription {
  /// What `insertNewObject(forEntityName:into:)` does.
  package static func insertObject(
    ofEntityNamed name: String, into context: ManagedObjectContext
  ) throws -> ManagedObject {
    try insertNewObject(forEntityName: name, into: context)
  }
}
