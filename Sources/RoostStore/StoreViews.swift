// SPDX-License-Identifier: Apache-2.0

/// The ability of a store to show its records to other tools: views of SQL with the names of the model, in which
/// dates, decimals and UUIDs have types or texts that every tool reads.
///
/// There is a view for each entity that can have records, which includes those of its subentities, and one for each
/// relationship that is to many on both sides. On a server the views are in a schema of their own, so that a user can
/// be given the right to read them and nothing else; in a file their names have a prefix. Views hold no data, and the
/// store never reads them.
///
/// ```swift
/// let made = try store.views?.write() ?? []
/// print("SELECT * FROM", made.first ?? "")
/// ```
public protocol StoreViews {
  /// Returns the statements that make the views, for a script that another program runs. Nothing is written.
  ///
  /// - Parameter place: The name of the schema on a server, or the prefix of the names in a file; nil for the default,
  ///   `roost_views` or `v_`.
  /// - Throws: ``PersistenceError`` with code `invalidRequest` for a name that cannot be used,
  ///   `persistentStoreOperation` before the store was prepared.
  /// - Complexity: No round trip.
  func statements(in place: String?) throws -> [String]

  /// Makes the views, in place of those that were made there before, in one transaction. Rights to read a view stay,
  /// as far as the view does. Views that a migration in place would break are made anew by it.
  ///
  /// - Parameter place: As in ``statements(in:)``.
  /// - Returns: The names of the views, as statements name them.
  /// - Throws: ``PersistenceError`` with code `invalidRequest` for a name that cannot be used or is taken,
  ///   `readOnlyStore`, `storeBusy`, `persistentStoreOperation` when the user lacks the right, when views of other
  ///   programs depend on one that has to change, or when the program uses the second of two versions of the model.
  /// - Complexity: A round trip for each view on a server. No record is read.
  @discardableResult func write(in place: String?) throws -> [String]

  /// Removes the views that were made in a place, and the schema of a server that was made for them, if it is empty:
  /// rights to that schema have to be given again.
  ///
  /// - Parameter place: As in ``statements(in:)``.
  /// - Returns: The names of the removed views.
  /// - Throws: As ``write(in:)``.
  /// - Complexity: As ``write(in:)``.
  @discardableResult func remove(in place: String?) throws -> [String]
}

extension StoreViews {
  /// Returns the statements that make the views in the default place.
  ///
  /// - Throws: As ``statements(in:)``.
  public func statements() throws -> [String] { try statements(in: nil) }

  /// Makes the views in the default place.
  ///
  /// - Returns: The names of the views.
  /// - Throws: As ``write(in:)``.
  @discardableResult public func write() throws -> [String] { try write(in: nil) }

  /// Removes the views of the default place.
  ///
  /// - Returns: The names of the removed views.
  /// - Throws: As ``remove(in:)``.
  @discardableResult public func remove() throws -> [String] { try remove(in: nil) }
}
