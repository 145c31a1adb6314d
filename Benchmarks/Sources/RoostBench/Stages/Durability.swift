// SPDX-License-Identifier: Apache-2.0

/// The failures that an acknowledged save survives; the same on both sides of a ratio.
enum Durability: String, Codable, CaseIterable {
  /// Power loss: Roost's default in every store.
  case full
  /// Power loss, and a lost directory entry too: SQLite's `synchronous = EXTRA`.
  case extra
  /// A crash of the program; a power loss may lose the last saves: LMDB's `MDB_NOMETASYNC`.
  case relaxed
}
