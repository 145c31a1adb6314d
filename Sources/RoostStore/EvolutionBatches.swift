// SPDX-License-Identifier: Apache-2.0

/// The bounds of a migration in several transactions. Tests set lower ones.
package struct EvolutionBatches: Sendable, Hashable {
  /// The log in bytes from which on a migration is divided.
  package var largestLog: Int64 = 64 << 20
  /// The log that one transaction is to have at most, in bytes.
  package var bytes: Int64 = 20 << 20
  /// The time that one transaction is to take at most, in seconds.
  package var seconds = 0.2
  /// The number of records of the first transaction of a step; later ones have as many as the bounds allow.
  package var records = 1_000
  /// The number of hashes of values that are compared at once where values must be unique.
  package var hashes = 2 << 20

  package init() {}

  /// Whether the entries of an index are written in several transactions.
  package func divides(entries count: Int) -> Bool {
    count > 0 && Int64(count) * Self.entryBytes > largestLog
  }

  /// The bytes of an entry of an index, roughly.
  private static let entryBytes: Int64 = 64
}
