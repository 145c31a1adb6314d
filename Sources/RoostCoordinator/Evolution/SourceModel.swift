// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore

/// Finds the model that a store was written with: the text in the store first, then what the program names (M7).
struct SourceModel {
  let metadata: StoreMetadata
  let migration: (any StoreMigration)?
  /// Where the program says that there are models.
  let places: [URL]

  /// The model, frozen.
  ///
  /// - Throws: `migrationMissingSourceModel` when no model has the store's version hashes, `corruptStore` when the text
  ///   in the store cannot be read.
  func find(_ evolution: (any StoreEvolution)?) throws -> ManagedObjectModel {
    if let text = try evolution?.storedModel(), !text.isEmpty {
      let model = try CanonicalModel(bytes: text).model()
      guard isSource(model) else {
        throw PersistenceError(
          .migrationMissingSourceModel,
          "The text of the model in the store does not give the version hashes that the store has. "
            + "Name the model that the store was written with in the description's migration.")
      }
      return try frozen(model)
    }
    for model in migration?.sourceModels ?? [] where isSource(model) {
      let found = try frozen(model)
      if hasShapes(found) { return found }
    }
    for model in try EarlierModels(places) where isSource(model) {
      let found = try frozen(model)
      if hasShapes(found) { return found }
    }
    throw PersistenceError(
      .migrationMissingSourceModel,
      "The store does not keep the model that it was written with, as one of an earlier version of "
        + "Roost, and neither the description's migration nor its earlierModels have it. Open the "
        + "store once with the model that it was written with, or name that model.")
  }

  /// Whether the store's entities are those of a model, unchanged (M3).
  private func isSource(_ model: ManagedObjectModel) -> Bool {
    let hashes = model.entityVersionHashesByName
    return metadata.entityVersionHashes.allSatisfy { hashes[$0.key] == $0.value }
  }

  /// Whether the store's entities are those of a model also where hashes do not tell it.
  private func hasShapes(_ model: ManagedObjectModel) -> Bool {
    ShapedEntities(model.entities).differences(from: metadata).isEmpty
  }

  private func frozen(_ model: ManagedObjectModel) throws -> ManagedObjectModel {
    try model.parsePredicates()
    try model.freeze()
    return model
  }
}
