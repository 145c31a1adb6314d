// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// Takes records of a key and the booleans that follow it.
struct FlagTaker: RecordTaker {
  private let flags: Int
  private(set) var keys: [Int64] = []
  /// The booleans of each key as bits.
  private(set) var changed: [UInt64] = []

  /// - Parameter flags: The number of booleans, at most 64.
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
