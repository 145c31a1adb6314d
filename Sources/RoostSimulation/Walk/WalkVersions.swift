// SPDX-License-Identifier: Apache-2.0

/// The known versions of stored records, and the last ones of deleted records.
struct WalkVersions {
  private var known: [Int: Int64] = [:]
  private var former: [Int: Int64] = [:]

  /// The version of a record; nil when it is unknown.
  subscript(serial: Int) -> Int64? {
    get { known[serial] }
    set { known[serial] = newValue }
  }

  /// Records an insertion: the version is 1, or for a record that comes back one that it never had.
  mutating func insert(_ serial: Int) { known[serial] = former[serial] == nil ? 1 : nil }

  /// Records a deletion.
  mutating func remove(_ serial: Int) { former[serial] = known.removeValue(forKey: serial) ?? 0 }

  /// Returns the version that a record had before it was deleted, once after it has come back.
  mutating func takeFormer(_ serial: Int) -> Int64? { former.removeValue(forKey: serial) }
}
