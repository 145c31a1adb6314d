// SPDX-License-Identifier: Apache-2.0

public import RoostModel

// Default implementations of the optional requirements. Each is correct; its comment states its cost.
extension KeyValueSnapshot {
  /// Returns the row of one record through the lookup for many; nil when there is none.
  public func row(forKey key: Int64) throws -> Row? {
    try rowAmongMany(forKey: key)
  }

  /// Returns the first keys of an entity code above a key; it skips all records below them one by one.
  public func recordKeys(ofEntityCode code: Int, above key: Int64, limit: Int) throws -> [Int64] {
    var keys: [Int64] = []
    try scanRecords(ofEntityCode: code, need: RowNeed(kept: .none)) { chunk in
      for index in 0..<chunk.count where chunk.key(index) > key && keys.count < limit {
        keys.append(chunk.key(index))
      }
      return keys.count < limit
    }
    return keys
  }

  /// Returns the record keys of the entries in a range. It also reads the values, which are not needed.
  public func scanKeys(
    of table: EntryTable, in range: KeyRange, descending: Bool,
    _ body: (UnsafeBufferPointer<Int64>) throws -> Bool
  ) throws {
    var keys: [Int64] = []
    try scanEntries(of: table, in: range, descending: descending) { chunk in
      keys.removeAll(keepingCapacity: true)
      for index in 0..<chunk.count { keys.append(chunk[index].recordKey) }
      return try keys.withUnsafeBufferPointer(body)
    }
  }

  /// Returns the number of entries in a range by reading them.
  public func entryCount(of table: EntryTable, in range: KeyRange) throws -> Int {
    var count = 0
    try scanEntries(of: table, in: range, descending: false) { chunk in
      count += chunk.count
      return true
    }
    return count
  }

  /// Returns the number of entries in a range. An engine without a cheap estimate makes the planner read the range
  /// twice.
  public func estimatedEntryCount(of table: EntryTable, in range: KeyRange) throws -> Int {
    try entryCount(of: table, in: range)
  }

  /// The value of a key: that of the first entry from the key on, when it has the key.
  public func value(of key: [UInt8], in table: EntryTable) throws -> [UInt8]? {
    var value: [UInt8]?
    try scanEntries(of: table, in: KeyRange(lower: key, upper: key + [0]), descending: false) {
      if $0.count > 0 { value = Array($0[0].value) }
      return false
    }
    return value
  }
}
