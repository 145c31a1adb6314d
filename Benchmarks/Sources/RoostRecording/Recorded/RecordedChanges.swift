// SPDX-License-Identifier: Apache-2.0

import Roost

/// A save in a recording.
struct RecordedChanges: Codable {
  var inserted: [RecordedRow]
  var updated: [Update]
  var deleted: [Version]
  var locked: [Version]
  var links: [Link]

  struct Update: Codable {
    var row: RecordedRow
    var baseVersion: Int64
    var changed: [String]
  }

  struct Version: Codable {
    var key: Int64
    var version: Int64
  }

  struct Link: Codable {
    var entity: String
    var relationship: String
    var source: Int64
    var destination: Int64
    var isAdded: Bool
    var position: Int64?
    var inversePosition: Int64?
  }

  init(_ changes: StoreChangeSet, in store: StoreIdentity) throws {
    inserted = try changes.inserted.map { try RecordedRow($0, in: store) }
    updated = try changes.updated.map { update in
      Update(
        row: try RecordedRow(update.row, in: store), baseVersion: update.baseVersion,
        changed: update.changedSlots.map {
          RecordedModel.plainName(update.row.layout.names[$0])
        })
    }
    deleted = changes.deleted.map { Version(key: $0.key, version: $0.version) }
    locked = changes.locked.map { Version(key: $0.key, version: $0.version) }
    links = changes.links.map { change in
      let owner = change.table.relationship
      var link = Link(
        entity: owner.entity?.name ?? "", relationship: owner.name, source: change.source,
        destination: change.destination, isAdded: false)
      if case .link(let position, let inversePosition) = change.kind {
        link.isAdded = true
        link.position = position
        link.inversePosition = inversePosition
      }
      return link
    }
  }

  func resolved(_ names: ReplayNames) throws -> StoreChangeSet {
    StoreChangeSet(
      inserted: try inserted.map { try names.row($0) },
      updated: try updated.map { update in
        let row = try names.row(update.row)
        return RowUpdate(
          row: row, baseVersion: update.baseVersion,
          changedSlots: update.changed.compactMap { row.layout.slot(named: $0)?.index }.sorted())
      },
      deleted: try deleted.map { RowVersion(key: try names.key($0.key), version: $0.version) },
      locked: try locked.map { RowVersion(key: try names.key($0.key), version: $0.version) },
      links: try links.map { link in
        guard
          case .links(let table, _) = try names.relationship(link.entity, link.relationship).storage
        else { throw RecordingError("\(link.entity).\(link.relationship) has no links.") }
        return LinkChange(
          table: table, source: try names.key(link.source),
          destination: try names.key(link.destination),
          kind: link.isAdded
            ? .link(position: link.position, inversePosition: link.inversePosition) : .unlink)
      })
  }

  /// The number of records and links written.
  var count: Int { inserted.count + updated.count + deleted.count + locked.count + links.count }

  /// The approximate number of bytes in a network protocol.
  var byteCount: Int {
    inserted.reduce(0) { $0 + $1.byteCount } + updated.reduce(0) { $0 + $1.row.byteCount }
      + (deleted.count + locked.count + links.count) * 16
  }
}
