// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostContainers
public import RoostCoordinator
import RoostModel
public import RoostObjects

extension PersistentContainer {
  /// Makes a context that shows a past state of the stores: every request, fault and relationship is answered as it
  /// would have been then, regardless of later and concurrent saves.
  ///
  /// ```swift
  /// let token = try container.persistentStoreCoordinator.currentPersistentHistoryToken(fromStores: nil)!
  /// // ... later
  /// let past = try container.context(asOf: token)
  /// let names = try past.performAndWait { try past.fetch(Person.fetchRequest()).map(\.name) }
  /// ```
  /// The stores are read in their current state, and their histories supply the differences. No resources are held
  /// open, and the context can be used for as long as the histories go back to the past state. Its objects can be
  /// changed, but the changes cannot be saved: `save()` throws `readOnlyStore`. Properties that the model did not
  /// have then have their defaults, and those that it no longer has are omitted.
  ///
  /// - Parameter token: The token of the past state.
  /// - Returns: A context with a queue of its own.
  /// - Throws: ``PersistenceError`` with code `persistentHistoryTokenExpired` when the history of a store does not go
  ///   back to the token, is another one, or records no values (``StoreOption/historyLevel``), and when the token
  ///   does not include the store. Requests of the context throw it when the history was deleted meanwhile.
  /// - Complexity: One round trip for each store; O(changes since the past state). A request costs one more, for new
  ///   transactions in the history, and reads the records that were changed since; if it follows relationships it
  ///   reads all records of its entity.
  public final func context(
    asOf token: PersistentHistoryToken
  ) throws -> sending ManagedObjectContext {
    try context(showing: .token(token))
  }

  /// Makes a context that shows the stores at a time: after the last transaction at or before it.
  ///
  /// ```swift
  /// let yesterday = try container.context(asOf: Date.now.addingTimeInterval(-86_400))
  /// ```
  /// - Parameter date: The time.
  /// - Returns: A context with a queue of its own.
  /// - Throws: As the form that takes a token; also `persistentHistoryTokenExpired` for a time before the first
  ///   transaction that a store keeps.
  /// - Complexity: One round trip for each store more than the form that takes a token; O(changes in the histories).
  public final func context(asOf date: Date) throws -> sending ManagedObjectContext {
    try context(showing: .date(date))
  }

  private func context(showing moment: PastReading.Moment) throws -> sending ManagedObjectContext {
    let context = newBackgroundContext()
    try PastReading.show(moment, of: persistentStoreCoordinator, in: context)
    return context
  }
}
