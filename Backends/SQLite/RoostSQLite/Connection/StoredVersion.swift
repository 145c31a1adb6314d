// SPDX-License-Identifier: Apache-2.0

// How the version of a record stands in the file: one more than it is. SQLite keeps a 0 and a 1 in no bytes, and a 2 in
// one. If the first version were kept as a 1, the first change would make each record longer by a byte, and whatever is
// behind it on its page would have to be moved. In a damaged file any number can stand there, so nothing traps.
extension SQLiteStatement {
  /// Binds the version of a record.
  func bind(version: Int64, at index: Int32) throws {
    try bind(version &+ 1, at: index)
  }

  /// The version of a record.
  @inline(__always)
  func version(_ column: Int32) -> Int64 {
    integer(column) &- 1
  }
}
