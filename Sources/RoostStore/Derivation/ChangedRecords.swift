// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// A view of a store's records after a change set, before it is written: the stored records overlaid with the
/// changes.
struct ChangedRecords<Source: DerivationSource>: DerivationSource {
  private let source: Source
  private let written: [Int64: Row]
  private let updates: [Int64: RowUpdate]
  private let inserted: Set<Int64>
  private let deleted: Set<Int64>
  private let links: [LinkChange]

  init(_ changes: StoreChangeSet, over source: Source) {
    self.source = source
    var written: [Int64: Row] = [:]
    var updates: [Int64: RowUpdate] = [:]
    for row in changes.inserted { written[row.key] = row }
    for update in changes.updated {
      written[update.row.key] = update.row
      updates[update.row.key] = update
    }
    self.written = written
    self.updates = updates
    inserted = Set(changes.inserted.lazy.map(\.key))
    deleted = Set(changes.deleted.lazy.map(\.key))
    links = changes.links
  }

  func rows(forKeys keys: [Int64]) throws -> [Row] {
    let stored = try source.rows(
      forKeys: keys.filter { written[$0] == nil && !deleted.contains($0) })
    return keys.compactMap { written[$0] } + stored
  }

  func destinations(
    of relationship: RelationshipDescription, forSources sources: [Int64]
  ) throws -> RelationshipDestinations {
    var members = try storedMembers(of: relationship, sources)
    switch relationship.storage {
    case .inverseOfToOne(let slot, _): follow(slot, of: relationship, &members)
    case .links(let table, let isForward): follow(table, isForward: isForward, &members)
    case .toOne, .transient: break
    }
    var result = RelationshipDestinations(offsets: [0], keys: [])
    for source in sources {
      result.keys += (members[source] ?? []).sorted()
      result.offsets.append(result.keys.count)
    }
    return result
  }

  private func storedMembers(
    of relationship: RelationshipDescription, _ sources: [Int64]
  ) throws -> [Int64: Set<Int64>] {
    var members: [Int64: Set<Int64>] = [:]
    for source in sources { members[source] = [] }
    let old = sources.filter { !inserted.contains($0) }
    guard !old.isEmpty else { return members }
    let found = try source.destinations(of: relationship, forSources: old)
    for (index, source) in old.enumerated() {
      members[source] = Set(found[source: index]).subtracting(deleted)
    }
    return members
  }

  /// Updates the members whose rows refer to their source: a row that refers to another source now has moved.
  private func follow(
    _ slot: RowSlot, of relationship: RelationshipDescription, _ members: inout [Int64: Set<Int64>]
  ) {
    guard let carrier = relationship.maintainedInverse?.entity else { return }
    for (key, row) in written where row.layout.entity.isKindOf(entity: carrier) {
      if let update = updates[key] {
        guard update.changedSlots.contains(slot.index) else { continue }
        for source in members.keys { members[source]?.remove(key) }
      }
      if let source = row.reference(slot) { members[source]?.insert(key) }
    }
  }

  private func follow(
    _ table: LinkTable, isForward: Bool, _ members: inout [Int64: Set<Int64>]
  ) {
    for link in links where link.table === table {
      var ends = [isForward ? (link.source, link.destination) : (link.destination, link.source)]
      if table.isSymmetric { ends.append((ends[0].1, ends[0].0)) }
      for (source, member) in ends {
        switch link.kind {
        case .link: members[source]?.insert(member)
        case .unlink: members[source]?.remove(member)
        }
      }
    }
  }
}
