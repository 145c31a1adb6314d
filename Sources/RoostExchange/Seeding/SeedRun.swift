// SPDX-License-Identifier: Apache-2.0

package import RoostCoordinator
import RoostModel
import RoostObjects
import RoostStore

/// Applies seeds to a store, unless it already has their version.
package struct SeedRun {
  /// The prefix of the metadata keys of seed versions.
  private static let prefix = "roost.seeds "

  private let seeds: Seeds
  private let coordinator: PersistentStoreCoordinator

  package init(seeds: Seeds, coordinator: PersistentStoreCoordinator) {
    self.seeds = seeds
    self.coordinator = coordinator
  }

  /// - Returns: The report; nil if nothing was done.
  package func run() throws -> ImportReport? {
    let target = try ImportTarget(coordinator, ImportOptions())
    let name = Self.prefix + seeds.name
    let metadata = try coordinator.metadata(for: target.store.store)
    if case .integer(let known) = metadata.userValues[name], known >= seeds.version { return nil }

    let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
    context.undoManager = nil
    var report = ImportReport()
    if case .folder(let folder) = seeds.source {
      var options = ImportOptions()
      options.name = "seeds \(seeds.name)"
      options.needsKeys = true
      // A folder that was changed after a partial import is a later version.
      options.startsAnew = true
      let run = try ImportRun(from: [folder], options, in: coordinator)
      while try run.context.performAndWait({ try run.step() }) {
        if Task.isCancelled { throw PersistenceError.cancelledExchange }
      }
      report = run.report
    }
    try context.performAndWait {
      if case .code(let make) = seeds.source {
        try make(context)
        report.inserted = context.insertedObjects.count
        report.updated = context.updatedObjects.count
      }
      try context.save(
        setting: [name: .integer(Int64(seeds.version))], of: target.store.identity)
    }
    return report
  }
}
