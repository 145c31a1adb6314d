// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// A store's format in one integer: the version of its tables, and how many migrations of its model it has seen.
///
/// Who has the store open compares the whole number, because it is read together with what is written anyway. The
/// version is in the lowest eight bits, so that a store of before has the number that it had.
package struct StoreFormat: Sendable, Equatable {
  /// The number as it is stored.
  package let number: Int64

  package init(_ number: Int64) {
    self.number = number
  }

  /// The version of the store's own tables.
  package var version: Int64 { number & 0xFF }

  /// The number of the store after its next evolution. It returns to the beginning after four million of them.
  package var next: StoreFormat {
    let epoch = ((number >> 8) + 1) & 0x3F_FFFF
    return StoreFormat(epoch << 8 | version)
  }

  /// Whether the store was not brought to another version of its model between two numbers.
  package func isOfSameModel(as other: StoreFormat) -> Bool { number >> 8 == other.number >> 8 }

  /// The number with another version of the store's own tables.
  package func with(version: Int64) -> StoreFormat { StoreFormat(number & ~0xFF | version) }

  /// The error of a request to a store that has another number than it had when it was opened.
  package static var migratedElsewhere: PersistenceError {
    PersistenceError(
      .persistentStoreIncompatibleVersionHash,
      "The store was migrated to another version of the model by another process; open it again "
        + "with that version.")
  }
}
