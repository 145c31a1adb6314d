// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel

/// The reads that failed where nothing can be thrown, in a context that no program sees: nobody else would refresh the
/// objects, and values that were computed from them must not be shown.
package struct FailedReads {
  private let context: ManagedObjectContext

  package init(in context: ManagedObjectContext) {
    self.context = context
  }

  /// Makes the context read objects again that could not be read. It is for a context that shows what the stores have,
  /// and whose objects no program changes.
  package func readAgain() {
    context.liveQueries.settlesFailedReads = true
  }

  /// Turns objects whose values could not be read into faults, which the next access reads, and forgets the failures.
  func settle() {
    guard !context.unthrown.readFailures.isEmpty else { return }
    for id in context.unthrown.readFailures.objectIDs {
      guard let object = context.registry.object(for: id), !object.isFault, !object.hasChanges
      else { continue }
      object.turnIntoFault()
    }
    context.readErrors.forgetUnthrown()
  }

  /// Runs a closure, and throws the error of a read in it that failed where nothing could be thrown.
  ///
  /// - Throws: That error, and what the closure throws.
  package func throwing<Result>(_ body: () throws -> Result) throws -> Result {
    settle()
    defer { settle() }
    let result = try body()
    if let error = context.readErrors.currentReadError { throw error }
    return result
  }
}

extension PersistenceError {
  /// Whether live results can never be read again, so that retrying is pointless.
  package var endsLiveResults: Bool {
    [.noStore, .storeRemoved, .unknownEntity, .unknownKey, .invalidRequest].contains(code)
  }

  /// Whether a store failed, which may be readable later, and not the program that asked.
  package var isOfStore: Bool { !endsLiveResults && !isRefusal && code != .forbiddenByPolicy }
}
