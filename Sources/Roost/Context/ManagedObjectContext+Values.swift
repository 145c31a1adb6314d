// SPDX-License-Identifier: Apache-2.0

public import RoostModel
public import RoostObjects
import RoostQuery

// Batch insertion and upsert of values of entity classes.
extension ManagedObjectContext {
  /// Inserts a record for each of the values, bypassing the contexts: no object is created, nothing is validated, no
  /// hook or notification runs, and relationships are empty.
  ///
  /// ```swift
  /// try context.insertBatch([
  ///   Person.Values(email: "ada@example.org", name: "Ada"), Person.Values(email: "bo@example.org"),
  /// ])
  /// ```
  /// Where a unique value is taken, the existing record is updated with the values, as with a ``BatchInsertRequest``;
  /// see ``upsert(_:by:_:)`` to choose the constraint. Registered objects of such records keep their old values until
  /// they are refreshed.
  ///
  /// - Parameter rows: The values.
  /// - Returns: The IDs of the records, in the order of the rows.
  /// - Throws: ``PersistenceError`` with code `unknownEntity` when the model does not have the class,
  ///   `abstractEntity`, `invalidValue` for a value that an attribute cannot have, `managedObjectConstraintMerge`
  ///   when one new record conflicts with two stored ones, `noStore`, `readOnlyStore`, or the error of a store.
  ///   Nothing is inserted then.
  /// - Complexity: One round trip, and one more whenever unique values turn out to be taken. All records are in
  ///   memory until they are written in one transaction.
  @discardableResult
  public func insertBatch<Values: EntityValues>(_ rows: some Sequence<Values>) throws -> [ObjectID]
  {
    try insert(rows, by: nil)
  }

  /// Inserts or updates records: the record with the same value of a unique attribute, or of several that are unique
  /// together, gets all values of the row and keeps its ID and its relationships; if there is none, one is inserted.
  /// As with ``insertBatch(_:)``, no objects are created and nothing is validated.
  ///
  /// ```swift
  /// try context.upsert(rows, by: \.email)
  /// try context.upsert(accounts, by: \.country, \.number)
  /// ```
  /// Of two rows with the same value, the last one is used. A row whose value is nil matches no record.
  ///
  /// - Parameters:
  ///   - rows: The values.
  ///   - keyPath: An attribute with a uniqueness constraint, or the first of several with a common one.
  ///   - others: The other attributes of the constraint, in any order.
  /// - Returns: The IDs of the records, in the order of the rows.
  /// - Throws: ``PersistenceError`` with code `invalidRequest` when the attributes have no uniqueness constraint or a
  ///   key path is computed, `managedObjectConstraintMerge` when a row violates another constraint, or else as
  ///   ``insertBatch(_:)``. Nothing is written then.
  /// - Complexity: As ``insertBatch(_:)``.
  @discardableResult
  public func upsert<Values: EntityValues, Key, each Other>(
    _ rows: some Sequence<Values>, by keyPath: KeyPath<Values._Object, Key>,
    _ others: repeat KeyPath<Values._Object, each Other>
  ) throws -> [ObjectID] {
    var paths: [AnyKeyPath] = [keyPath]
    repeat paths.append(each others)
    return try insert(rows, by: paths.map { try name(of: $0, in: Values._Object.self) })
  }

  private func name(of path: AnyKeyPath, in objectClass: ManagedObject.Type) throws -> String {
    do throws(RefusedKeyPath) {
      return try objectClass.storedPath(for: path).joined(separator: ".")
    } catch {
      throw error.error
    }
  }
}
