// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import RoostCoordinator
import RoostModel

/// Contexts that read a past state of the stores; the implementation of members in the module `Roost`.
package enum PastReading {
  /// A point in the stores' histories.
  package enum Moment: Sendable {
    case token(PersistentHistoryToken)
    case date(Date)
  }

  /// Pins a context to a past state for good. It must not have read anything yet.
  ///
  /// - Throws: `persistentHistoryTokenExpired` when a store no longer has the state.
  package static func show(
    _ moment: Moment, of coordinator: PersistentStoreCoordinator,
    in context: ManagedObjectContext
  ) throws {
    let generation =
      switch moment {
      case .token(let token): try StoreGeneration(of: coordinator, at: token)
      case .date(let date): try StoreGeneration(of: coordinator, at: date)
      }
    context.upstreamState.snapshot = .past(generation)
  }

  /// Creates a new context that reads a past state of the stores of another context.
  package static func makeContext(
    of moment: Moment, besides other: ManagedObjectContext
  ) throws -> ManagedObjectContext {
    other.checkQueue()
    let coordinator = try other.coordinator()
    let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
    try other.asCaller { try show(moment, of: coordinator, in: context) }
    return context
  }
}
