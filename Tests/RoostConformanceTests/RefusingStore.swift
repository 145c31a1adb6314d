// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// A store without uniqueness constraints, which refuses a model that has any (B14); it has no change marks either.
final class RefusingStore: ForwardingStore, @unchecked Sendable {
  // Sendable: it has no state of its own.

  override var changeMarks: (any StoreChangeMarks)? { nil }

  override func prepare(_ schema: StoreSchema, metadata: StoreMetadata) throws {
    if let entity = schema.entities.first(where: { !$0.uniquenessConstraints.isEmpty }) {
      throw PersistenceError(
        .persistentStoreIncompatibleSchema, "The store cannot keep values unique.",
        entityName: entity.name)
    }
    try super.prepare(schema, metadata: metadata)
  }
}
