// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostStore

/// The two stores of a migration, each with a coordinator and a context of its own.
///
/// All objects are plain `ManagedObject`s, unless the request wants the program's classes for new objects: these
/// belong to one version of the model, and cannot read another one.
final class MigrationStores {
  /// One of the stores.
  struct Side {
    let model: ManagedObjectModel
    let coordinator: PersistentStoreCoordinator
    let store: AttachedStore
  }

  let source: Side
  let destination: Side
  let sourceContext: ManagedObjectContext
  let destinationContext: ManagedObjectContext
  /// The change mark of the source from before it was read.
  let firstMark: String?
  /// Whether the destination existed, so that the objects are added to its own.
  let isAppending: Bool
  private let destinationDescription: PersistentStoreDescription

  /// Opens both stores.
  ///
  /// - Parameter codes: Makes the entity codes of a new destination from the source's metadata.
  /// - Throws: `migrationManagerSourceStore` or `migrationManagerDestinationStore`, with the error of opening the
  ///   store as the underlying error.
  init(
    _ request: MigrationRequest, codes: (StoreMetadata) -> [String: Int]
  ) throws {
    guard !request.source.hasPlace(of: request.destination) else {
      throw PersistenceError(
        .migrationManagerDestinationStore,
        "A store cannot be migrated to its own place: name another one, or give the mapping model "
          + "to the description's migration.", store: request.source.displayName)
    }
    source = try Self.opening(request.source, .migrationManagerSourceStore) {
      try Self.openSource(request)
    }
    destinationDescription = request.destination
    do {
      firstMark = try source.store.store.changeMarks?.changeMark()
      // Read after the mark was taken: other processes may have written the store since it was opened.
      let metadata =
        try request.source.type.driver.metadata(of: request.source) ?? source.store.store.metadata
      (destination, isAppending) = try Self.opening(
        request.destination, .migrationManagerDestinationStore
      ) {
        try Self.openDestination(request, codes(metadata))
      }
    } catch {
      try? source.coordinator.detach(source.store.store)
      throw error
    }
    sourceContext = ManagedObjectContext(.privateQueue, coordinator: source.coordinator)
    destinationContext = ManagedObjectContext(.privateQueue, coordinator: destination.coordinator)
    sourceContext.undoManager = nil
    destinationContext.undoManager = nil
  }

  private static func opening<Result>(
    _ description: PersistentStoreDescription, _ code: PersistenceError.Code,
    _ body: () throws -> Result
  ) throws -> Result {
    do {
      return try body()
    } catch {
      let known = error as? PersistenceError
      throw PersistenceError(
        code, "The store cannot be opened: \(known?.message ?? "its driver threw an error.")",
        entityName: known?.entityName, store: description.displayName,
        underlyingErrors: known.map { [$0] } ?? [], underlying: error)
    }
  }

  private static func openSource(_ request: MigrationRequest) throws -> Side {
    var description = request.source
    description.isReadOnly = true
    description.migration = nil
    description.evolution = .refuse
    guard try description.type.driver.metadata(of: description) != nil else {
      throw PersistenceError(
        .persistentStoreOpen, "There is no store at this place.", store: description.displayName)
    }
    let side = try side(plain(request.sourceModel)) { try $0.addPersistentStore(with: description) }
    do {
      try refuseReferences(of: side, description.displayName)
    } catch {
      try? side.coordinator.detach(side.store.store)
      throw error
    }
    return side
  }

  /// Throws for a store with references to other stores: those are not part of the migration, and their keys would
  /// mean other records.
  private static func refuseReferences(of side: Side, _ name: String?) throws {
    guard try side.store.refersToOthers() else { return }
    // Stored references remain when nothing refers to them any more.
    let mayLead = side.coordinator.managedObjectModel.hasRelationshipsAcrossStores
    guard try !mayLead || !DanglingReferences(of: side.store.store, in: side.coordinator).isEmpty
    else { return }
    throw PersistenceError(
      .migration,
      "The store has relationships that lead into other stores, which a mapping model cannot "
        + "follow. Migrate it without one, or set these relationships to nil before and again "
        + "after it.", store: name)
  }

  private static func openDestination(
    _ request: MigrationRequest, _ codes: [String: Int]
  ) throws -> (Side, isAppending: Bool) {
    var description = request.destination
    description.migration = nil
    description.evolution = .refuse
    let model =
      request.keepsClasses ? request.destinationModel : plain(request.destinationModel)
    if let found = try description.type.driver.metadata(of: description) {
      // A store without version hashes was never opened with a model, so it is empty.
      let isUnused = found.entityVersionHashes.isEmpty && found.userValues.isEmpty
      guard found.isUnfinishedCopy || isUnused else {
        return (try side(model) { try $0.addPersistentStore(with: description) }, true)
      }
      description.discardStore()
    }
    let side = try side(model) {
      try UnfinishedStore(description, entityCodes: codes, in: $0).store.store
    }
    return (side, false)
  }

  private static func side(
    _ model: ManagedObjectModel, _ add: (PersistentStoreCoordinator) throws -> any PersistentStore
  ) throws -> Side {
    let coordinator = try PersistentStoreCoordinator(usable: model)
    let store = try add(coordinator)
    guard let attached = coordinator.attachedStore(for: store) else {
      throw PersistenceError(.storeRemoved, "The store was removed while it was added.")
    }
    return Side(model: model, coordinator: coordinator, store: attached)
  }

  /// Returns a copy of a model without the program's classes.
  static func plain(_ model: ManagedObjectModel) -> ManagedObjectModel {
    let copy = model.copy()
    for entity in copy.entities {
      entity.managedObjectClass = nil
      entity.ownClassName = "ManagedObject"
    }
    return copy
  }

  /// Returns a value that changes with every write of the source, by any process; nil where the store has none.
  func sourceMark() throws -> String? {
    try source.store.store.changeMarks?.changeMark()
  }

  /// Closes both stores, and removes an incomplete destination that was created.
  func close(isComplete: Bool) {
    sourceContext.reset()
    destinationContext.reset()
    try? source.coordinator.detach(source.store.store)
    try? destination.coordinator.detach(destination.store.store)
    if !isComplete, !isAppending { destinationDescription.discardStore() }
  }
}

/// The stores, models and mapping of a migration.
struct MigrationRequest {
  var source: PersistentStoreDescription
  var destination: PersistentStoreDescription
  let sourceModel: ManagedObjectModel
  let destinationModel: ManagedObjectModel
  let mapping: MappingModel
  /// Whether the new objects use the classes of the destination model.
  var keepsClasses = false
  /// Throws when the content of the source must not be migrated. A later write of another process ends the migration.
  var inspect: (StoreCensus) throws -> Void = { _ in }
  /// Changes the metadata of a new destination before it is marked as complete.
  var edit: (_ metadata: inout StoreMetadata, _ source: StoreMetadata) -> Void = { _, _ in }
}
