// SPDX-License-Identifier: Apache-2.0

/// The numbers that a store assigns to records of other stores.
///
/// A slot or a link contains the negated number in the place of the key of a record of its own store.
///
/// ```swift
/// let leavesTheStore = row.reference(slot).map(ForeignNumber.isForeign) ?? false
/// ```
@frozen public enum ForeignNumber {
  /// The largest number that a store can assign.
  public static let largest: Int64 = 1 << 31 - 1

  /// Whether a key from a slot or a link refers to a record of another store.
  @inlinable public static func isForeign(_ key: Int64) -> Bool { key < 0 && key >= -largest }

  /// Returns the error for a change set with numbers that the store has removed since they were looked up.
  ///
  /// - Parameter store: The UUID of the store.
  package static func removed(store: String) -> PersistenceError {
    PersistenceError(
      .storeBusy,
      "Others have removed numbers of records of other stores that the save refers to: save again.",
      store: store, underlying: RemovedForeignNumbers())
  }

  /// Returns the error of a store that has assigned all numbers.
  ///
  /// - Parameter store: The UUID of the store.
  public static func exhausted(store: String) -> PersistenceError {
    PersistenceError(
      .limitExceeded, "The store refers to \(largest) records of other stores, and to no more.",
      store: store)
  }
}

/// Marks the error of ``ForeignNumber/removed(store:)``.
private struct RemovedForeignNumbers: Error {}

extension PersistenceError {
  /// Whether a save failed only because it was made with numbers that were removed since: made anew, it succeeds.
  package var isOfRemovedForeignNumbers: Bool { underlying is RemovedForeignNumbers }
}
