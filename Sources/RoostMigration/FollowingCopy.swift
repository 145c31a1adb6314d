// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCoordinator
import RoostModel
import RoostStore

/// Copies a store and migrates the copy by inference: the equivalent of an inferred mapping model (M26).
struct FollowingCopy {
  let request: MigrationRequest
  let manager: MigrationManager

  /// Whether copying gives the result of the mapping model: the stores are of one type and configuration, the source
  /// has the manager's version, and the destination is empty.
  func isPossible() throws -> Bool {
    let (source, destination) = (request.source, request.destination)
    guard source.type.rawValue == destination.type.rawValue, source.url != nil,
      destination.url != nil, source.configuration == destination.configuration,
      !source.hasPlace(of: destination),
      try destination.type.driver.metadata(of: destination) == nil,
      let metadata = try source.type.driver.metadata(of: source)
    else { return false }
    let hashes = request.sourceModel.entityVersionHashes(forConfigurationName: source.configuration)
    return metadata.entityVersionHashes == hashes
  }

  /// Makes the copy. After an error nothing is at the destination.
  func run() throws {
    try manager.checkCancellation()
    try MappingHashes(request.mapping).check(
      from: request.sourceModel, to: request.destinationModel)
    let driver = request.destination.type.driver
    // The copy is migrated beside the destination, which never holds an incomplete store.
    let place = try request.destination.secondPlace()
    place.discardStore()
    defer { place.discardStore() }
    try driver.replace(place, with: request.source)
    try follow(at: place)
    // The source has this UUID, and a coordinator accepts a UUID only once.
    if var metadata = try driver.metadata(of: place) {
      metadata.identifier = UUID().uuidString
      try driver.setMetadata(metadata, of: place)
    }
    guard try driver.metadata(of: request.destination) == nil else {
      throw PersistenceError(
        .migrationManagerDestinationStore,
        "Another store was made at the destination meanwhile; it is left alone.",
        store: request.destination.displayName)
    }
    try driver.replace(request.destination, with: place)
    manager.noteProgress(1)
  }

  private func follow(at place: PersistentStoreDescription) throws {
    var description = place
    description.migration = StageSources(sourceModels: [request.sourceModel])
    description.shouldMigrateStoreAutomatically = true
    description.shouldInferMappingModelAutomatically = true
    description.evolution = .automatic.backup(.never)
    let coordinator = try PersistentStoreCoordinator(usable: request.destinationModel)
    // An error that an observer throws is reported as a cancellation: throw the program's own error instead.
    coordinator.migrations.observe { [manager] report in
      try manager.checkCancellation()
      let inStep = report.total > 0 ? Float(report.completed) / Float(report.total) : 0
      let done = (Float(report.step - 1) + inStep) / Float(max(report.stepCount, 1))
      manager.noteProgress(done * 0.99)
    }
    do {
      let store = try coordinator.addPersistentStore(with: description)
      try coordinator.detach(store)
    } catch {
      try manager.checkCancellation()
      throw error
    }
  }
}
