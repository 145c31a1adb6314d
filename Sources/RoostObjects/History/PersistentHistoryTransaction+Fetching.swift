// SPDX-License-Identifier: Apache-2.0

public import RoostCoordinator
public import RoostModel
public import RoostQuery

extension PersistentHistoryTransaction {
  /// The entity of transactions in a fetch request on the history; it is in no store and in no model.
  ///
  /// ```swift
  /// request.entity = PersistentHistoryTransaction.entityDescription
  /// ```
  @_disfavoredOverload
  public static var entityDescription: EntityDescription { HistoryModel.transaction }

  /// The entity of transactions, the same for all contexts.
  ///
  /// - Parameter context: Any context.
  @_disfavoredOverload
  public static func entityDescription(with context: ManagedObjectContext) -> EntityDescription {
    HistoryModel.transaction
  }

  /// A new fetch request for transactions: for ``PersistentHistoryChangeRequest/fetchHistory(withFetch:)``.
  ///
  /// ```swift
  /// let request = PersistentHistoryTransaction.fetchRequest
  /// request.predicate = try FetchPredicate("author == %@", "import")
  /// ```
  @_disfavoredOverload
  public static var fetchRequest: FetchRequest<any FetchRequestResult> {
    FetchRequest(entity: HistoryModel.transaction)
  }
}

extension PersistentHistoryChange {
  /// The entity of changes in a fetch request on the history; it is in no store and in no model.
  ///
  /// ```swift
  /// request.entity = PersistentHistoryChange.entityDescription
  /// ```
  @_disfavoredOverload
  public static var entityDescription: EntityDescription { HistoryModel.change }

  /// The entity of changes, the same for all contexts.
  ///
  /// - Parameter context: Any context.
  @_disfavoredOverload
  public static func entityDescription(with context: ManagedObjectContext) -> EntityDescription {
    HistoryModel.change
  }

  /// A new fetch request for changes: for ``PersistentHistoryChangeRequest/fetchHistory(withFetch:)``.
  ///
  /// ```swift
  /// let request = PersistentHistoryChange.fetchRequest
  /// request.predicate = try FetchPredicate("changedEntity == %@", "Person")
  /// ```
  @_disfavoredOverload
  public static var fetchRequest: FetchRequest<any FetchRequestResult> {
    FetchRequest(entity: HistoryModel.change)
  }
}
