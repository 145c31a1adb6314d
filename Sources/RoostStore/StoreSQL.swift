// SPDX-License-Identifier: Apache-2.0

/// The ability of a store to answer statements of SQL that a program writes itself.
///
/// It reads what is saved, in a transaction of its own, and writes nothing: a program that must write without objects
/// uses a batch request, which keeps rules, versions and history.
///
/// ```swift
/// let rows = try store.sql?.rows(of: "SELECT count(*) AS n FROM \(table: "Person")")
/// ```
public protocol StoreSQL {
  /// Returns what a statement gives.
  ///
  /// - Parameter query: One statement that reads, with its parameters.
  /// - Throws: `invalidRequest` for a statement that the database does not understand, that writes, or that is more
  ///   than one, for a name that the model does not know and a column of a type that has no Swift type; or else as
  ///   ``PersistentStore/fetch(_:in:)``.
  /// - Complexity: One round trip. All rows of the answer are in memory at once.
  func rows(of query: SQLText) throws -> SQLRows
}
