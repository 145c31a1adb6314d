// SPDX-License-Identifier: Apache-2.0

// The stored form of a record's version: its value plus one. SQLite stores 0 and 1 without a payload byte, and 2 in
// one byte. If the first version were stored as 1, the first change would make each record one byte longer, and the
// data behind it on its page would have to be moved. A damaged file can contain any number, so the arithmetic must not
// trap.
extension SQLiteStatement {
  /// Binds the version of a record.
  func bind(version: Int64, at index: Int32) throws {
    try bind(version &+ 1, at: index)
  }

  /// Returns the version of a record.
  @inline(__always)
  func version(_ column: Int32) -> Int64 {
    integer(column) &- 1
  }
}
