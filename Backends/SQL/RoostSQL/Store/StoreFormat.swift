// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// A store's format in one integer: the version of its tables, and the number of migrations of its model.
///
/// A program that has the store open compares the whole number, because it reads the number with its writes anyway.
/// The version is in the lowest eight bits, so that older stores keep their number.
package struct StoreFormat: Sendable, Equatable {
  /// The number as it is stored.
  package let number: Int64

  package init(_ number: Int64) {
    self.number = number
  }

  /// The version of the store's own tables.
  package var version: Int64 { number & 0xFF }

  /// The number of the store after its next evolution. The counter wraps around after four million of them.
  package var next: StoreFormat {
    let epoch = ((number >> 8) + 1) & 0x3F_FFFF
    return StoreFormat(epoch << 8 | version)
  }

  /// Returns whether the store was not migrated between two numbers.
  package func isOfSameModel(as other: StoreFormat) -> Bool { number >> 8 == other.number >> 8 }

  /// Returns the number with another version of the store's own tables.
  package func with(version: Int64) -> StoreFormat { StoreFormat(number & ~0xFF | version) }

  /// The error of a request to a store whose number has changed since it was opened.
  package static var migratedElsewhere: PersistenceError {
    PersistenceError(
      .persistentStoreIncompatibleVersionHash,
      "The store was migrated to another version of the model by another process; open it again "
        + "with that version.")
  }
}
