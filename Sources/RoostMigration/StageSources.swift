// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// The models that the stores of inferred steps may have been written with; the steps themselves are inferred.
struct StageSources: StoreMigration {
  let sourceModels: [ManagedObjectModel]

  func migrate(
    _ store: PersistentStoreDescription, from source: ManagedObjectModel, metadata: StoreMetadata,
    to destination: ManagedObjectModel, reporter: MigrationReporter
  ) throws -> Bool { false }
}
