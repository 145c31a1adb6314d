// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel

extension Fetcher {
  /// Runs a batch request on the coordinator, and maps conflicts to the error that names them.
  func batch(
    _ run: (PersistentStoreCoordinator) throws -> BatchOutcome
  ) throws -> BatchAnswer {
    try context.upstream.requirePresent()
    let outcome = try committing { try run(context.coordinator()) }
    context.statistics.roundTrips += 1
    switch outcome {
    case .done(let ids): return .records(ids)
    case .counted(let count): return .number(count)
    case .conflicted(let conflicts): throw ConflictReport(conflicts).error
    }
  }

  /// Runs a batch request, and notes when something was committed, or may have been: the work of the context must not
  /// be repeated then. The request of a child context is work of its parents too.
  private func committing(_ run: () throws -> BatchOutcome) throws -> BatchOutcome {
    func note() {
      var next: ManagedObjectContext? = context
      while let current = next {
        current.hasCommitted = true
        next = current.parentContext
      }
    }
    do {
      let outcome = try context.asCaller(run)
      if case .conflicted = outcome { return outcome }
      note()
      return outcome
    } catch let error as PersistenceError
      where error.mayHaveCommitted || error.code == .persistentStoreIncompleteSave
    {
      note()
      throw error
    }
  }

  /// Returns the entity of a batch request from the model.
  ///
  /// - Throws: `unknownEntity` (B138).
  func entity(named name: String, orGiven entity: EntityDescription?) throws -> EntityDescription {
    guard let known = try requiredModel().entitiesByName[name],
      entity == nil || entity === known
    else {
      throw PersistenceError(
        .unknownEntity, "The model has no entity “\(name)”.", entityName: name)
    }
    return known
  }
}
