// SPDX-License-Identifier: Apache-2.0

public import RoostModel
public import RoostObjects
import RoostQuery

// Values of entity classes, written as records in one request.
extension ManagedObjectContext {
  /// Inserts a record for each of the values, past the contexts: no object is made, nothing is validated, no hook and
  /// no notification runs, and relationships are empty.
  ///
  /// ```swift
  /// try context.insertBatch([
  ///   Person.Values(email: "ada@example.org", name: "Ada"), Person.Values(email: "bo@example.org"),
  /// ])
  /// ```
  /// Where a value that must be unique is taken, the record that has it gets the values, as with a
  /// ``BatchInsertRequest``; see ``upsert(_:by:_:)`` to choose the constraint. Objects that stand for such a record
  /// have their old values until they are refreshed.
  ///
  /// - Parameter rows: The values.
  /// - Returns: The IDs of the records, in the order of the rows.
  /// - Throws: ``PersistenceError`` with code `unknownEntity` when the model does not have the class, `abstractEntity`,
  ///   `invalidValue` for a value that an attribute cannot have, `managedObjectConstraintMerge` when two stored records
  ///   have the values of one new one, `noStore`, `readOnlyStore`, or what a store throws. Nothing is inserted then.
  /// - Complexity: One round trip, and one more whenever unique values turn out to be taken. All records are in memory
  ///   until they are written in one transaction.
  @discardableResult
  public func insertBatch<Values: EntityValues>(_ rows: some Sequence<Values>) throws -> [ObjectID]
  {
    try insert(rows, by: nil)
  }

  /// Makes the records what the values say: the record with the same value of a unique attribute, or of several that
  /// are unique together, gets all values of the row and keeps its ID and its relationships; where there is none, one
  /// is inserted. As ``insertBatch(_:)``, it makes no objects and validates nothing.
  ///
  /// ```swift
  /// try context.upsert(rows, by: \.email)
  /// try context.upsert(accounts, by: \.country, \.number)
  /// ```
  /// Of two rows with the same value the last one counts. A row that has no value, nil, meets no record.
  ///
  /// - Parameters:
  ///   - rows: The values.
  ///   - keyPath: An attribute with a uniqueness constraint, or the first of several that have one together.
  ///   - others: The others of them, in any order.
  /// - Returns: The IDs of the records, in the order of the rows.
  /// - Throws: ``PersistenceError`` with code `invalidRequest` when the attributes have no uniqueness constraint or a
  ///   key path computes something, `managedObjectConstraintMerge` when a row has a value that another constraint gives
  ///   to another record, or else as ``insertBatch(_:)``. Nothing is written then.
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
