// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore

/// Finds the model that a store was written with: the text in the store first, then the sources that the program
/// names (M7).
struct SourceModel {
  let metadata: StoreMetadata
  let migration: (any StoreMigration)?
  /// The URLs that the program names for earlier models.
  let places: [URL]

  /// Returns the model, frozen.
  ///
  /// - Throws: `migrationMissingSourceModel` when no model has the store's version hashes; `corruptStore` when, in
  ///   addition, the text in the store cannot be read.
  func find(_ evolution: (any StoreEvolution)?) throws -> ManagedObjectModel {
    let text = try evolution?.storedModel()
    var damage: (any Error)?
    if let text, !text.isEmpty {
      do {
        let model = try CanonicalModel(bytes: text).model()
        if isSource(model) { return try frozen(model) }
      } catch {
        // A model that the program names serves as well.
        damage = error
      }
    }
    for model in migration?.sourceModels ?? [] where isSource(model) {
      let found = try frozen(model)
      if hasShapes(found) { return found }
    }
    for model in try EarlierModels(places) where isSource(model) {
      let found = try frozen(model)
      if hasShapes(found) { return found }
    }
    if let damage { throw damage }
    throw missing(hasText: text?.isEmpty == false)
  }

  private func missing(hasText: Bool) -> PersistenceError {
    let reason =
      hasText
      ? "The text of the model in the store does not give the version hashes that the store has"
      : "The store does not keep the model that it was written with, as one of an earlier version "
        + "of Roost"
    return PersistenceError(
      .migrationMissingSourceModel,
      "\(reason), and neither the description's migration nor its earlierModels have that model. "
        + "Name it there, or open the store once with it.")
  }

  /// Whether the entities in the store are those of a model, unchanged (M3).
  private func isSource(_ model: ManagedObjectModel) -> Bool {
    let hashes = model.entityVersionHashesByName
    return metadata.entityVersionHashes.allSatisfy { hashes[$0.key] == $0.value }
  }

  /// Whether the entities in the store also match a model in what the hashes do not cover.
  private func hasShapes(_ model: ManagedObjectModel) -> Bool {
    ShapedEntities(model.entities).differences(from: metadata).isEmpty
  }

  private func frozen(_ model: ManagedObjectModel) throws -> ManagedObjectModel {
    try model.parsePredicates()
    try model.freeze()
    return model
  }
}
