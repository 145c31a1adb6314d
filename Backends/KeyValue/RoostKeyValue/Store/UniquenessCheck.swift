// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// Finds records that would have the values of another one, after all changes of a save together: values may be
/// swapped, and a value may go from a deleted record to a new one (B197, B198). As in every store, a claim is in
/// conflict with the stored record that has the values and keeps them, else with the first earlier claim of them.
struct UniquenessCheck {
  private let index: IndexDefinition
  private let constraint: [String]
  private let snapshot: any KeyValueSnapshot
  private let isTableEmpty: Bool
  private var group = Group()
  private var found: [(key: Int64, existing: Int64, isStored: Bool)] = []

  /// The changes of entries with the same components, which are adjacent.
  private struct Group {
    /// The components as encoded in the keys.
    var components: [UInt8] = []
    /// The records that claim them, with the rest of components that were cut.
    var claims: [(key: Int64, rest: [UInt8])] = []
    /// The records that had them.
    var released: [Int64] = []
  }

  init(index: IndexDefinition, constraint: [String], snapshot: any KeyValueSnapshot) throws {
    self.index = index
    self.constraint = constraint
    self.snapshot = snapshot
    isTableEmpty = try snapshot.estimatedEntryCount(of: index.table, in: .all) == 0
  }

  /// Returns the uniqueness conflicts of a batch's claims.
  ///
  /// - Parameter changedRow: The row that a change set gives to a key, for two claims of one save.
  mutating func conflicts(
    in batch: EntryBatch, changedRow: (Int64) -> Row?
  ) throws -> [StoreConflict] {
    try batch.forEach { change in
      let components = UnsafeRawBufferPointer(
        rebasing: change.key.dropLast(KeyEncoding.recordKeyCount))
      if !group.components.hasSameBytes(as: components) {
        try judgeGroup()
        group.components.replaceSubrange(0..., with: components)
        group.claims.removeAll(keepingCapacity: true)
        group.released.removeAll(keepingCapacity: true)
      }
      let key = KeyEncoding.recordKey(atEndOf: change.key)
      switch change.kind {
      case .claim: group.claims.append((key, Array(change.value)))
      case .remove: group.released.append(key)
      case .put: break
      }
    }
    try judgeGroup()
    return try found.map { conflict in
      let existing =
        conflict.isStored
        ? try snapshot.row(forKey: conflict.existing) : changedRow(conflict.existing)
      return .uniqueness(
        constraint: constraint, entityName: index.entity.name ?? "", key: conflict.key,
        existing: existing)
    }
  }

  private mutating func judgeGroup() throws {
    guard !group.claims.isEmpty, !isTableEmpty || group.claims.count > 1 else { return }
    var holders: [(key: Int64, rest: [UInt8])] = []
    try snapshot.scanEntries(
      of: index.table, in: KeyRange(prefix: group.components), descending: false
    ) { chunk in
      for position in 0..<chunk.count {
        let entry = chunk[position]
        // An entry that continues after these components has another composite value.
        guard entry.key.count == group.components.count + KeyEncoding.recordKeyCount,
          !group.released.contains(entry.recordKey)
        else { continue }
        holders.append((entry.recordKey, Array(entry.value)))
      }
      return true
    }
    for (position, claim) in group.claims.enumerated() {
      if let holder = holders.first(where: { $0.key != claim.key && $0.rest == claim.rest }) {
        found.append((claim.key, holder.key, true))
      } else if let earlier = group.claims[..<position].first(where: { $0.rest == claim.rest }) {
        found.append((claim.key, earlier.key, false))
      }
    }
  }
}

extension [UInt8] {
  fileprivate func hasSameBytes(as other: UnsafeRawBufferPointer) -> Bool {
    withUnsafeBytes { $0.count == other.count && KeyEncoding.compare($0, other) == 0 }
  }
}
