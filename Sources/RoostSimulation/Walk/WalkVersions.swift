// SPDX-License-Identifier: Apache-2.0

/// The versions that stored records have, as far as they are known, and those that removed ones had.
struct WalkVersions {
  private var known: [Int: Int64] = [:]
  private var former: [Int: Int64] = [:]

  /// The version of a record; nil when it is not known.
  subscript(serial: Int) -> Int64? {
    get { known[serial] }
    set { known[serial] = newValue }
  }

  /// Notes that a record is inserted: in version 1, or when it comes back in one that it never had.
  mutating func insert(_ serial: Int) { known[serial] = former[serial] == nil ? 1 : nil }

  /// Notes that a record is removed.
  mutating func remove(_ serial: Int) { former[serial] = known.removeValue(forKey: serial) ?? 0 }

  /// The version that a record had before it was removed, the first time that it is asked after it has come back.
  mutating func takeFormer(_ serial: Int) -> Int64? { former.removeValue(forKey: serial) }
}
