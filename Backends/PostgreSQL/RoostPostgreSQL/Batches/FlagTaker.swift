// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// Takes keys, and truth values that stand after each.
struct FlagTaker: RecordTaker {
  private let flags: Int
  private(set) var keys: [Int64] = []
  /// The truth values of each key as bits.
  private(set) var changed: [UInt64] = []

  /// - Parameter flags: How many truth values there are, at most 64.
  init(_ flags: Int) {
    self.flags = flags
  }

  var count: Int { keys.count }
  var types: [PostgreSQLType] {
    [.integer] + [PostgreSQLType](repeating: .boolean, count: flags)
  }

  mutating func take(_ fields: some RecordFields) throws {
    keys.append(fields.integer(0))
    var bits: UInt64 = 0
    for flag in 0..<flags where fields.bytes(Int32(flag + 1))?.first == 1 {
      bits |= 1 << UInt64(flag)
    }
    if flags > 0 { changed.append(bits) }
  }
}
