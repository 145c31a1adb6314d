// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The records whose derived attributes a change set affects. They are found by following a rule's path backwards
/// from the changed records, in the state before the changes and in the state after them.
struct AffectedRecords<Source: DerivationSource> {
  let changes: StoreChangeSet
  let source: Source
  let changed: ChangedRecords<Source>

  /// Returns the keys of the affected records, apart from those that the change set writes itself.
  func keys(for rule: DerivationRule) throws -> Set<Int64> {
    var before: Set<Int64> = []
    var after: Set<Int64> = []
    // From the end of the path: each step adds the records that are changed there.
    for step in rule.path.indices.reversed() {
      let relationship = rule.path[step]
      guard let destination = relationship.destinationEntity else { return [] }
      let next = step + 1 < rule.path.count ? rule.path[step + 1] : nil
      let slots = [
        next.flatMap { $0.slot }, next == nil ? rule.sourceSlot : nil,
        relationship.maintainedInverse?.slot,
      ].compactMap { $0?.index }
      for row in changes.inserted where row.layout.entity.isKindOf(entity: destination) {
        after.insert(row.key)
      }
      for update in changes.updated
      where update.row.layout.entity.isKindOf(entity: destination)
        && slots.contains(where: update.changedSlots.contains)
      {
        before.insert(update.row.key)
        after.insert(update.row.key)
      }
      before.formUnion(changes.deleted.lazy.map(\.key))
      before = try sources(of: before, along: relationship, in: source)
      after = try sources(of: after, along: relationship, in: changed)
      after.formUnion(linked(along: relationship))
    }
    return before.union(after)
  }

  /// Returns the records whose relationship contains the given members, by following its inverse.
  private func sources(
    of members: Set<Int64>, along relationship: RelationshipDescription,
    in view: some DerivationSource
  ) throws -> Set<Int64> {
    guard !members.isEmpty, let inverse = relationship.maintainedInverse,
      let destination = relationship.destinationEntity
    else { return [] }
    let rows = try view.rows(forKeys: members.sorted())
      .filter { $0.layout.entity.isKindOf(entity: inverse.entity ?? destination) }
    guard inverse.isToMany else {
      guard let slot = inverse.slot else { return [] }
      return Set(rows.compactMap { $0.reference(slot) })
    }
    guard !rows.isEmpty else { return [] }
    return Set(try view.destinations(of: inverse, forSources: rows.map(\.key)).keys)
  }

  /// Returns the records whose links change.
  private func linked(along relationship: RelationshipDescription) -> Set<Int64> {
    guard case .links(let table, let isForward) = relationship.storage else { return [] }
    var result: Set<Int64> = []
    for link in changes.links where link.table === table {
      result.insert(isForward ? link.source : link.destination)
      if table.isSymmetric { result.insert(isForward ? link.destination : link.source) }
    }
    return result
  }
}
