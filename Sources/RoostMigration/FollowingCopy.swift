// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCoordinator
import RoostModel
import RoostStore

/// Copies a store, and lets the copy follow the model by itself: what an inferred mapping model comes to (M26).
struct FollowingCopy {
  let request: MigrationRequest
  let manager: MigrationManager

  /// Whether the copy leads to what the mapping model says: the stores are of one type and configuration, the source is
  /// of the manager's version, and nothing is at the destination.
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
    // What stands at the destination is complete, or nothing: the copy follows beside it.
    let place = try request.destination.secondPlace()
    place.discardStore()
    defer { place.discardStore() }
    try driver.replace(place, with: request.source)
    try follow(at: place)
    // The source has this UUID, and a coordinator takes it once.
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
    // What observers throw is told as a cancellation: the program's error is the one to throw.
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
