// SPDX-License-Identifier: Apache-2.0

public import RoostContainers
import RoostCoordinator
public import RoostStore

// Views of SQL, for tools that know nothing of Roost.
extension PersistentContainer {
  /// Returns the views of a store of SQLite or PostgreSQL, to print or make them.
  ///
  /// ```swift
  /// try container.loadPersistentStores()
  /// try container.views().write(in: "reports")  // GRANT SELECT ON ALL TABLES IN SCHEMA reports TO ...
  /// ```
  /// - Parameter store: The store; nil for the only one that is a SQL database.
  /// - Returns: The ability to print, make and remove views.
  /// - Throws: ``PersistenceError`` with code `persistentStoreUnsupportedRequestType` for a store that is no SQL
  ///   database, `invalidRequest` where several are and none is named, `invalidStoreAssignment` for a store of another
  ///   container, `noStore`.
  /// - Complexity: Nothing is read.
  public final func views(of store: (any PersistentStore)? = nil) throws -> any StoreViews {
    try TextRequests(persistentStoreCoordinator).views(of: store)
  }
}
