// SPDX-License-Identifier: Apache-2.0

public import RoostContainers
import RoostCoordinator
import RoostModel
public import RoostObjects
public import RoostStore

// Statements of SQL that a program writes itself, for what no request can say.
extension PersistentContainer {
  /// Returns what a statement of SQL gives, in a store of SQLite or PostgreSQL.
  ///
  /// ```swift
  /// let oldest = try container.sql("""
  ///   SELECT \(\Person.city) AS city, max(\(\Person.age)) AS age FROM \(Person.self)
  ///   WHERE \(\Person.age) > \(18) GROUP BY 1
  ///   """)
  /// for row in oldest { print(try row.value("age", as: Int.self)) }
  /// ```
  /// The statement sees what is saved; what contexts hold and have not saved it does not. It reads: changes are made
  /// with objects or with batch requests, which keep rules, versions and history. It is written for the database that
  /// runs it, and a column holds what the store's documentation says.
  ///
  /// - Parameters:
  ///   - query: One statement. What is interpolated is a parameter, or the name of a table or a column.
  ///   - store: The store that is asked; nil for the only one that answers SQL.
  /// - Returns: The rows, all in memory.
  /// - Throws: ``PersistenceError`` with code `invalidRequest` for a statement that the database does not understand,
  ///   that writes, or that is more than one, and where several stores answer SQL and none is named;
  ///   `persistentStoreUnsupportedRequestType` for a store that answers none, `unknownEntity` and `unknownKey` for
  ///   names that it does not hold, `noStore`, `storeBusy`, `persistentStoreTimeout`.
  /// - Complexity: One round trip. The caller's thread waits.
  public final func sql(
    _ query: SQLText, in store: (any PersistentStore)? = nil
  ) throws -> SQLRows {
    try TextRequests(persistentStoreCoordinator).rows(of: query, in: store)
  }

  /// Returns what a statement of SQL gives, without blocking the thread: as the form that blocks it.
  ///
  /// ```swift
  /// let rows = try await container.sql("SELECT count(*) AS people FROM \(Person.self)")
  /// ```
  /// - Parameters:
  ///   - query: One statement.
  ///   - store: The store that is asked; nil for the only one that answers SQL.
  /// - Returns: The rows, all in memory.
  /// - Throws: As the form that blocks its thread; ``PersistenceError`` with code `userCancelled` when the task is
  ///   cancelled.
  /// - Complexity: One round trip. No thread of the task waits.
  public final func sql(
    _ query: SQLText, in store: (any PersistentStore)? = nil
  ) async throws -> SQLRows {
    let requests = TextRequests(persistentStoreCoordinator)
    return try await performBackgroundTask { _ in try requests.rows(of: query, in: store) }
  }
}

extension SQLText.StringInterpolation {
  /// Appends the records of a class, its subclasses' among them: a table, or a query in parentheses where other classes
  /// share the table.
  ///
  /// - Parameter objectClass: The class.
  public mutating func appendInterpolation<Object: ManagedObjectClass>(_ objectClass: Object.Type) {
    appendPart(.table(entityName: objectClass.entityName))
  }

  /// Appends the name of a property's column.
  ///
  /// - Parameter keyPath: An attribute, an element of a composite, or a to-one relationship.
  public mutating func appendInterpolation<Object: ManagedObjectClass, Property>(
    _ keyPath: KeyPath<Object, Property>
  ) {
    do throws(RefusedKeyPath) {
      let path = try Object.storedPath(for: keyPath)
      appendPart(.column(name: path.joined(separator: "."), entityName: Object.entityName))
    } catch {
      appendPart(.refused(error.error))
    }
  }
}
