// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

extension MinimalMedium.Content {
  struct Pair {
    var key: Int64
    var position: Int64?
  }

  /// Returns the sources of a to-one relationship by destination.
  func pairs(
    _ slot: RowSlot, _ position: RowSlot?, _ relationship: RelationshipDescription
  ) -> [Int64: [Pair]] {
    var result: [Int64: [Pair]] = [:]
    guard let destination = relationship.destinationEntity else { return [:] }
    for row in rows.values where row.layout.entity.isKindOf(entity: destination) {
      guard let source = row.reference(slot) else { continue }
      let place = position.flatMap { row.isNull($0) ? nil : row.integer($0) }
      result[source, default: []].append(Pair(key: row.key, position: place))
    }
    return result
  }

  /// Returns the destinations of links by source.
  func pairs(_ table: LinkTable, _ isForward: Bool) -> [Int64: [Pair]] {
    var result: [Int64: [Pair]] = [:]
    for (link, positions) in links where link.table == table.name {
      let (from, to) = isForward ? (link.source, link.destination) : (link.destination, link.source)
      let place = isForward ? positions.position : positions.inversePosition
      result[from, default: []].append(Pair(key: to, position: place))
    }
    return result
  }

  func conflicts(of changes: StoreChangeSet) -> [StoreConflict] {
    let expected =
      changes.updated.map { RowVersion(key: $0.row.key, version: $0.baseVersion) }
      + changes.deleted + changes.locked
    return expected.compactMap { record in
      guard rows[record.key]?.version != record.version else { return nil }
      return .version(key: record.key, expected: record.version, current: rows[record.key])
    }
  }

  mutating func apply(_ changes: StoreChangeSet) {
    for row in changes.inserted { rows[row.key] = row }
    for update in changes.updated { rows[update.row.key] = update.row }
    for record in changes.locked {
      if let row = rows[record.key] { rows[record.key] = row.copy(version: row.version + 1) }
    }
    for record in changes.deleted {
      rows[record.key] = nil
      links = links.filter { $0.key.source != record.key && $0.key.destination != record.key }
    }
    for change in changes.links { apply(change) }
    if let metadata = changes.metadata { self.metadata = metadata }
  }

  private mutating func apply(_ change: LinkChange) {
    let link = MinimalMedium.Link(
      table: change.table.name, source: change.source, destination: change.destination)
    switch change.kind {
    case .unlink:
      links[link] = nil
    case .link(let position, let inversePosition):
      var positions = links[link] ?? MinimalMedium.Positions()
      positions.position = position ?? positions.position
      positions.inversePosition = inversePosition ?? positions.inversePosition
      links[link] = positions
    }
    guard change.table.isSymmetric else { return }
    let mirrored = MinimalMedium.Link(
      table: change.table.name, source: change.destination, destination: change.source)
    links[mirrored] = links[link].map {
      MinimalMedium.Positions(position: $0.inversePosition, inversePosition: $0.position)
    }
  }
}
