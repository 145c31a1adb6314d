// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// Which records have a derived attribute that a change set changes: found by going the path of a rule backwards, from
/// what is changed to the records that are computed of it, before the changes and after them.
struct AffectedRecords<Source: DerivationSource> {
  let changes: StoreChangeSet
  let source: Source
  let changed: ChangedRecords<Source>

  /// The keys of the records, beside those that the change set writes itself.
  func keys(for rule: DerivationRule) throws -> Set<Int64> {
    var before: Set<Int64> = []
    var after: Set<Int64> = []
    // From the end of the path: who is found at a step is joined by who is changed there.
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

  /// The records at whose relationship others are: its inverse, followed forwards.
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

  /// The records whose links are changed.
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
