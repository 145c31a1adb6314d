// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel

// Reads that fail where nothing can be thrown, in a context that no program sees: nobody else would refresh the
// objects, and what was computed from them must not be shown.
extension ManagedObjectContext {
  /// Makes the context read objects again that could not be read. It is for a context that shows what the stores have,
  /// and whose objects no program changes.
  package func readFailedObjectsAgain() {
    liveQueries.settlesFailedReads = true
  }

  /// Turns objects whose values could not be read into faults, which the next access reads, and forgets the failures.
  func settleFailedReads() {
    guard !unthrown.readFailures.isEmpty else { return }
    for id in unthrown.readFailures.objectIDs {
      guard let object = registry.object(for: id), !object.isFault, !object.hasChanges else {
        continue
      }
      object.turnIntoFault()
    }
    readErrors.forgetUnthrown()
  }

  /// Runs a closure, and throws the error of a read in it that failed where nothing could be thrown.
  ///
  /// - Throws: That error, and what the closure throws.
  package func throwingFailedReads<T>(_ body: () throws -> T) throws -> T {
    settleFailedReads()
    defer { settleFailedReads() }
    let result = try body()
    if let error = readErrors.currentReadError { throw error }
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
