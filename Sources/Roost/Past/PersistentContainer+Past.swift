// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostContainers
public import RoostCoordinator
import RoostModel
public import RoostObjects

extension PersistentContainer {
  /// Makes a context that shows the stores as they were at a moment: every request, fault and relationship is answered
  /// as it would have been then, whatever was saved since and is saved meanwhile.
  ///
  /// ```swift
  /// let token = try container.persistentStoreCoordinator.currentPersistentHistoryToken(fromStores: nil)!
  /// // ... later
  /// let past = try container.context(asOf: token)
  /// let names = try past.performAndWait { try past.fetch(Person.fetchRequest()).map(\.name) }
  /// ```
  /// The stores are asked as they are, and their histories say what was different. Nothing is held open, and the
  /// context can be kept for as long as the histories go back to the moment. Its objects can be changed, and their
  /// changes cannot be saved: `save()` throws `readOnlyStore`. Properties that the model did not have then have their
  /// defaults, and those that it does not have any more are gone.
  ///
  /// - Parameter token: The moment.
  /// - Returns: A context with a queue of its own.
  /// - Throws: ``PersistenceError`` with code `persistentHistoryTokenExpired` when the history of a store does not go
  ///   back to the token, is another one, or keeps no values (``StoreOption/historyLevel``), and when the token does
  ///   not name the store. Requests of the context throw it when the history was deleted meanwhile.
  /// - Complexity: One round trip a store; O(changes since the moment). A request costs one more, for what is new in
  ///   the history, and reads the records that were changed since; where it follows relationships it reads all records
  ///   of its entity.
  public final func context(
    asOf token: PersistentHistoryToken
  ) throws -> sending ManagedObjectContext {
    try context(showing: .token(token))
  }

  /// Makes a context that shows the stores as they were at a time: after the last transaction that was not later.
  ///
  /// ```swift
  /// let yesterday = try container.context(asOf: Date.now.addingTimeInterval(-86_400))
  /// ```
  /// - Parameter date: The time.
  /// - Returns: A context with a queue of its own.
  /// - Throws: As the form that takes a token; `persistentHistoryTokenExpired` for a time before the first transaction
  ///   that a store keeps, too.
  /// - Complexity: One round trip a store more than the form that takes a token; O(changes in the histories).
  public final func context(asOf date: Date) throws -> sending ManagedObjectContext {
    try context(showing: .date(date))
  }

  private func context(showing moment: PastReading.Moment) throws -> sending ManagedObjectContext {
    let context = newBackgroundContext()
    try PastReading.show(moment, of: persistentStoreCoordinator, in: context)
    return context
  }
}
