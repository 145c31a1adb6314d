// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import RoostCoordinator
import RoostModel

/// Contexts that show a moment of the stores' histories: for the members that the module `Roost` shows.
package enum PastReading {
  /// A moment.
  package enum Moment: Sendable {
    case token(PersistentHistoryToken)
    case date(Date)
  }

  /// Lets a context show a moment, for good. It must not have read anything.
  ///
  /// - Throws: `persistentHistoryTokenExpired` when a store cannot show it.
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

  /// Makes a context of its own that shows a moment of the stores of another context.
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
