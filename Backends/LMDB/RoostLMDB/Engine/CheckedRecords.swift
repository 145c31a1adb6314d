// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The records that a reader has found whole in one state of the file: what was checked is not checked again before
/// somebody writes.
///
/// A bit stands for each record. Those with very large numbers have none and are checked each time.
final class CheckedRecords {
  /// The number of the transaction whose state it is.
  @exclusivity(unchecked) private var state = -1
  /// The bits by entity code.
  @exclusivity(unchecked) private var words: [[UInt64]] = []

  /// The numbers up to which there are bits: a quarter of a megabyte of them for an entity.
  private static let largest: Int64 = 1 << 21

  /// Begins to read a state of the file.
  func begin(_ state: Int) {
    guard state != self.state else { return }
    self.state = state
    for code in words.indices {
      for index in words[code].indices { words[code][index] = 0 }
    }
  }

  /// Whether a record was found whole.
  @inline(__always)
  func contains(_ key: Int64) -> Bool {
    let code = RecordKey.entityCode(of: key)
    let number = RecordKey.sequence(of: key)
    guard number >= 0, code < words.count, number &>> 6 < words[code].count else { return false }
    return words[code][Int(number &>> 6)] & (1 &<< UInt64(number & 63)) != 0
  }

  /// Notes that a record is whole.
  @inline(__always)
  func insert(_ key: Int64) {
    let code = RecordKey.entityCode(of: key)
    let number = RecordKey.sequence(of: key)
    guard number >= 0, number < Self.largest else { return }
    if code >= words.count || number &>> 6 >= words[code].count { makeRoom(code, number) }
    words[code][Int(number &>> 6)] |= 1 &<< UInt64(number & 63)
  }

  private func makeRoom(_ code: Int, _ number: Int64) {
    while words.count <= code { words.append([]) }
    let count = max(64, (Int(number >> 6) + 1) * 3 / 2)
    words[code] += Array(repeating: 0, count: count - words[code].count)
  }
}
