// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// Writes changes of links: an entry in the forward table, `source destination`, and one in the backward table,
/// `destination source`. Where a side is ordered both have the positions as their value.
struct LinkWriter {
  private let schema: KeyValueSchema
  private let snapshot: any KeyValueSnapshot
  private(set) var batch: WriteBatch
  /// The entries of ordered tables that this save has written so far; a later change of the same link builds on them.
  private var written: [EntryTable: [[UInt8]: LinkPositions?]] = [:]

  init(schema: KeyValueSchema, snapshot: any KeyValueSnapshot, batch: WriteBatch) {
    self.schema = schema
    self.snapshot = snapshot
    self.batch = batch
  }

  /// Adds changes to the batch.
  mutating func write(_ changes: [LinkChange]) throws {
    for change in changes {
      try write(change)
      if change.table.isSymmetric { try write(change.mirrored) }
    }
  }

  private mutating func write(_ change: LinkChange) throws {
    guard let tables = schema.links[ObjectIdentifier(change.table)] else {
      throw PersistenceError(
        .persistentStoreOperation,
        "The store does not hold the relationship \(change.table.name).",
        store: schema.schema.identity.identifier)
    }
    guard case .link(let position, let inversePosition) = change.kind else {
      return remove(change.source, change.destination, from: tables)
    }
    var value: [UInt8] = []
    if change.table.sourceIsOrdered || change.table.destinationIsOrdered {
      let key = LinkKey.bytes(change.source, change.destination)
      var positions = try known(key, in: tables) ?? LinkPositions()
      positions.position = position ?? positions.position
      positions.inversePosition = inversePosition ?? positions.inversePosition
      written[tables.forward, default: [:]][key] = .some(positions)
      value = positions.bytes
    }
    append(.put, change.source, change.destination, value, to: tables.forward)
    append(.put, change.destination, change.source, value, to: tables.backward)
  }

  /// The positions that a link has after the changes so far; nil when it is not there.
  private func known(
    _ key: [UInt8], in tables: KeyValueSchema.LinkTables
  ) throws -> LinkPositions? {
    if let known = written[tables.forward]?[key] { return known }
    return try snapshot.value(of: key, in: tables.forward).map { try LinkPositions($0) }
  }

  private mutating func remove(
    _ source: Int64, _ destination: Int64, from tables: KeyValueSchema.LinkTables
  ) {
    append(.remove, source, destination, [], to: tables.forward)
    append(.remove, destination, source, [], to: tables.backward)
    if written[tables.forward] != nil || tables.isOrdered {
      written[tables.forward, default: [:]][LinkKey.bytes(source, destination)] = .some(nil)
    }
  }

  private mutating func append(
    _ kind: EntryBatch.Kind, _ first: Int64, _ second: Int64, _ value: [UInt8],
    to table: EntryTable
  ) {
    batch.changeEntries(of: table) { entries in
      entries.append(kind) { bytes in
        LinkKey.append(first, second, to: &bytes)
        return value[...]
      }
    }
  }
}

// MARK: - Deleted records

extension LinkWriter {
  /// Removes every link of records that are deleted.
  mutating func removeLinks(of deleted: [RowVersion]) throws {
    guard !deleted.isEmpty else { return }
    let codes = Set(deleted.map { RecordKey.entityCode(of: $0.key) })
    for tables in schema.links.values
    where try snapshot.estimatedEntryCount(of: tables.forward, in: .all) > 0 {
      let isSource = tables.sourceCodes.isDisjoint(with: codes) == false
      let isDestination = tables.destinationCodes.isDisjoint(with: codes) == false
      for record in deleted {
        if isSource {
          for other in try others(of: record.key, in: tables.forward) {
            remove(record.key, other, from: tables)
          }
        }
        if isDestination {
          for other in try others(of: record.key, in: tables.backward) {
            remove(other, record.key, from: tables)
          }
        }
      }
    }
  }

  private func others(of key: Int64, in table: EntryTable) throws -> [Int64] {
    var others: [Int64] = []
    try snapshot.scanKeys(of: table, in: LinkKey.range(of: key), descending: false) { keys in
      others += keys
      return true
    }
    return others
  }
}

extension LinkChange {
  /// The same change seen from the other end of a relationship that is its own inverse.
  fileprivate var mirrored: LinkChange {
    var mirrored = LinkChange(table: table, source: destination, destination: source, kind: kind)
    if case .link(let position, let inversePosition) = kind {
      mirrored.kind = .link(position: inversePosition, inversePosition: position)
    }
    return mirrored
  }
}
