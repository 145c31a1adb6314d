// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery

/// Reads an index whose entries are almost in the order of a request, one group of equal entries at a time.
///
/// A backward scan returns equal entries with the largest key first, but equal rows are ordered by ascending key:
/// each such group is reversed. Entries whose keys were truncated to the same bytes are unordered: they are sorted by
/// their full values.
struct IndexGroups {
  let access: IndexAccess
  let direction: IndexAccess.Direction
  let sort: [ResolvedSort]

  private struct Group {
    /// The common prefix of the group's keys.
    var common: [UInt8] = []
    var keys: [Int64] = []
    /// The truncated rests of the keys, one per key of the group; empty for other groups.
    var rests: [[UInt8]] = []
  }

  /// Calls `body` with the record keys of one group after the other, until it returns false.
  func forEach(
    in snapshot: any KeyValueSnapshot, _ body: ([Int64]) throws -> Bool
  ) throws {
    let isDescending = direction == .descending
    for range in isDescending ? access.ranges.reversed() : access.ranges {
      var group = Group()
      var wantsMore = true
      try snapshot.scanEntries(
        of: access.index.table, in: range, descending: isDescending
      ) { chunk in
        for position in 0..<chunk.count {
          let entry = chunk[isDescending ? chunk.count - 1 - position : position]
          let isCut = access.index.isCut(entry.key)
          let common = entry.key.dropLast(
            KeyEncoding.recordKeyCount + (isCut ? IndexDefinition.hashCount : 0))
          if !group.keys.isEmpty, !group.common.elementsEqual(common) {
            wantsMore = try body(ordered(group))
            guard wantsMore else { return false }
            group.keys.removeAll(keepingCapacity: true)
            group.rests.removeAll(keepingCapacity: true)
          }
          if group.keys.isEmpty { group.common.replaceSubrange(0..., with: common) }
          group.keys.append(entry.recordKey)
          if isCut { group.rests.append(Array(entry.value)) }
        }
        return true
      }
      guard wantsMore, !group.keys.isEmpty else {
        if wantsMore { continue }
        return
      }
      guard try body(ordered(group)) else { return }
    }
  }

  private func ordered(_ group: Group) -> [Int64] {
    let isDescending = direction == .descending
    guard !group.rests.isEmpty else {
      return isDescending ? group.keys.reversed() : group.keys
    }
    return zip(group.rests, group.keys).sorted { left, right in
      if left.0 == right.0 { return left.1 < right.1 }
      return left.0.lexicographicallyPrecedes(right.0) != isDescending
    }.map(\.1)
  }
}

extension IndexAccess {
  /// Whether the entries must be read in groups to come in order.
  func needsGroups(_ direction: Direction) -> Bool {
    direction == .descending || index.canCut
  }
}
