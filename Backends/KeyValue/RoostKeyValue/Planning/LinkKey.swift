// SPDX-License-Identifier: Apache-2.0

/// The keys of link entries: two record keys.
enum LinkKey {
  static func append(_ first: Int64, _ second: Int64, to bytes: inout [UInt8]) {
    KeyEncoding.appendRecordKey(first, to: &bytes)
    KeyEncoding.appendRecordKey(second, to: &bytes)
  }

  static func bytes(_ first: Int64, _ second: Int64) -> [UInt8] {
    var bytes: [UInt8] = []
    append(first, second, to: &bytes)
    return bytes
  }

  /// The entries that begin with a key.
  static func range(of first: Int64) -> KeyRange {
    var bytes: [UInt8] = []
    KeyEncoding.appendRecordKey(first, to: &bytes)
    return KeyRange(prefix: bytes)
  }
}
