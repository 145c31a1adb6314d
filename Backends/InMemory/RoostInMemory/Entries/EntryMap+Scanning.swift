// SPDX-License-Identifier: Apache-2.0

import RoostKeyValue

extension EntryMap {
  /// Calls `body` with the entries of a range, one leaf at a time, until it returns false. The entries of a part are
  /// always in ascending order; descending means that the later parts come first.
  ///
  /// - Returns: Whether `body` returned true to the end.
  @discardableResult
  func scan(
    _ range: KeyRange, descending: Bool = false,
    _ body: (UnsafeBufferPointer<EntryKey>) throws -> Bool
  ) rethrows -> Bool {
    guard let address = rootAddress else { return true }
    return try OwnedEntryKey.with(range.lower) { lower in
      guard let upper = range.upper else {
        let scan = Scan(lower: lower, upper: nil, descending: descending)
        return try EntryMap.scan(address, level: height, scan, body)
      }
      return try OwnedEntryKey.with(upper) { upper in
        let scan = Scan(lower: lower, upper: upper, descending: descending)
        return try EntryMap.scan(address, level: height, scan, body)
      }
    }
  }

  private struct Scan {
    var lower: EntryKey
    var upper: EntryKey?
    var descending: Bool
  }

  // As deep as the tree is high.
  private static func scan(
    _ address: UnsafeRawPointer, level: Int, _ scan: Scan,
    _ body: (UnsafeBufferPointer<EntryKey>) throws -> Bool
  ) rethrows -> Bool {
    guard level > 0 else {
      return try EntryLeaf.with(address) { keys in
        let start = lowerBound(of: scan.lower, in: keys)
        let end = scan.upper.map { lowerBound(of: $0, in: keys) } ?? keys.count
        guard start < end else { return true }
        return try body(UnsafeBufferPointer(rebasing: keys[start..<end]))
      }
    }
    return try EntryBranch.with(address) { children in
      let first = childIndex(for: scan.lower, in: children)
      let last = scan.upper.map { childIndex(for: $0, in: children) } ?? children.count - 1
      guard first <= last else { return true }
      if scan.descending {
        for index in (first...last).reversed() {
          guard try self.scan(children[index].address, level: level - 1, scan, body) else {
            return false
          }
        }
      } else {
        for index in first...last {
          guard try self.scan(children[index].address, level: level - 1, scan, body) else {
            return false
          }
        }
      }
      return true
    }
  }

  /// The value of a key; nil when the key is not there.
  func value(of bytes: [UInt8]) -> [UInt8]? {
    guard var address = rootAddress else { return nil }
    return OwnedEntryKey.with(bytes) { key in
      for _ in 0..<height {
        address = EntryBranch.with(address) { $0[EntryMap.childIndex(for: key, in: $0)].address }
      }
      return EntryLeaf.with(address) { keys in
        let index = EntryMap.lowerBound(of: key, in: keys)
        guard index < keys.count, EntryKey.compare(keys[index], key) == 0,
          let start = keys.baseAddress
        else { return nil }
        return EntryKey.withBytes(at: start + index) { _, value in Array(value) }
      }
    }
  }
}
