// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostSQL
import RoostStore

/// A change set, ordered for the statements that write it: by table and key, so that two saves never deadlock on
/// records.
struct SavePlan {
  /// The records that must be in a version, by table.
  var expectations: [TableVersions] = []
  var deleted: [RecordGroup<RowVersion>] = []
  var locked: [RecordGroup<RowVersion>] = []
  var updated: [RecordGroup<RowUpdate>] = []
  var inserted: [RecordGroup<Row>] = []
  var links: [LinkBatch] = []

  /// The largest number of records that a save locks separately, before it writes any.
  private static let lockLimit = 256
  /// The largest number of versions among the records for which one statement per version removes them.
  private static let versionLimit = 16

  /// Whether the records that must be in a version are locked first, in the order of their keys, and then written.
  ///
  /// Saves that lock in one order never deadlock, and small saves are the ones that run concurrently in large numbers.
  /// Locking a record costs as much as writing it. So a save of one record, for which there is no order, does without;
  /// and so does one of very many records: the server aborts it in a deadlock, and it is retried.
  var locksFirst: Bool {
    let count = expectations.reduce(0) { $0 + $1.keys.count }
    if count > 1, count <= Self.lockLimit { return true }
    return (deleted + locked).contains { group in
      Set(group.changes.lazy.map(\.version)).count > Self.versionLimit
    }
  }

  init(_ changes: StoreChangeSet, _ prepared: PreparedSchema) throws {
    deleted = try Self.groups(changes.deleted, prepared, key: \.key)
    locked = try Self.groups(changes.locked, prepared, key: \.key)
    updated = try Self.groups(changes.updated, prepared, key: \.row.key)
    inserted = try Self.groups(changes.inserted, prepared, key: \.key)
    links = try LinkBatch.batches(changes.links, prepared.mapping)
    expectations = Self.expectations(changes, prepared.mapping, deleted, locked, updated)
  }

  /// The records of one table with the versions that they must have, by key.
  struct TableVersions {
    let table: SQLTable
    var keys: [Int64]
    var versions: [Int64]
  }

  private static func expectations(
    _ changes: StoreChangeSet, _ mapping: SQLSchema, _ deleted: [RecordGroup<RowVersion>],
    _ locked: [RecordGroup<RowVersion>], _ updated: [RecordGroup<RowUpdate>]
  ) -> [TableVersions] {
    var records: [ObjectIdentifier: [RowVersion]] = [:]
    for group in deleted + locked {
      records[ObjectIdentifier(group.type.entity.table), default: []] += group.changes
    }
    for group in updated {
      records[ObjectIdentifier(group.type.entity.table), default: []] += group.changes.map {
        RowVersion(key: $0.row.key, version: $0.baseVersion)
      }
    }
    return mapping.tables.sorted { $0.name < $1.name }.compactMap { table in
      guard let found = records[ObjectIdentifier(table)] else { return nil }
      let sorted = found.sorted { $0.key < $1.key }
      return TableVersions(table: table, keys: sorted.map(\.key), versions: sorted.map(\.version))
    }
  }

  /// Groups changes by entity, each group in the order of keys.
  private static func groups<Change>(
    _ changes: [Change], _ prepared: PreparedSchema, key: (Change) -> Int64
  ) throws -> [RecordGroup<Change>] {
    guard !changes.isEmpty else { return [] }
    var byCode: [Int: [Change]] = [:]
    if changes.count == 1 {
      byCode[RecordKey.entityCode(of: key(changes[0]))] = changes
    } else {
      for change in changes {
        byCode[RecordKey.entityCode(of: key(change)), default: []].append(change)
      }
    }
    let groups = try byCode.values.map { changes in
      let isSorted = zip(changes, changes.dropFirst()).allSatisfy { key($0) < key($1) }
      return RecordGroup(
        type: try prepared.recordType(ofKey: key(changes[0])),
        changes: isSorted ? changes : changes.sorted { key($0) < key($1) })
    }
    return groups.sorted {
      ($0.type.entity.table.name, $0.type.entity.code)
        < ($1.type.entity.table.name, $1.type.entity.code)
    }
  }
}

/// Changes of records of one entity, by key.
struct RecordGroup<Change> {
  let type: RecordType
  var changes: [Change]
}

/// Changes of the links of one table: the removed links first, then the links that exist afterwards. Several changes
/// of one link are merged into one, because a statement can change a row only once.
struct LinkBatch {
  let table: SQLLinkTable
  private(set) var removed: [Pair] = []
  private(set) var linked: [(pair: Pair, position: Int64?, inversePosition: Int64?)] = []

  struct Pair: Hashable {
    let source: Int64
    let destination: Int64
  }

  static func batches(_ links: [LinkChange], _ mapping: SQLSchema) throws -> [LinkBatch] {
    var changes: [ObjectIdentifier: [LinkChange]] = [:]
    var tables: [SQLLinkTable] = []
    for link in links {
      guard let table = mapping.linkTable(link.table) else {
        throw PersistenceError(
          .persistentStoreSave, "The store does not hold the links '\(link.table.name)'.")
      }
      let id = ObjectIdentifier(link.table)
      if changes[id] == nil { tables.append(table) }
      changes[id, default: []].append(link)
      // A table that is its own inverse holds each link in both directions.
      if link.table.isSymmetric, link.source != link.destination {
        changes[id, default: []].append(link.reversed)
      }
    }
    return tables.sorted { $0.name < $1.name }.map { table in
      LinkBatch(table, changes[ObjectIdentifier(table.links)] ?? [])
    }
  }

  private init(_ table: SQLLinkTable, _ changes: [LinkChange]) {
    self.table = table
    var wanted: [Pair: (position: Int64?, inversePosition: Int64?)?] = [:]
    var removed: Set<Pair> = []
    for change in changes {
      let pair = Pair(source: change.source, destination: change.destination)
      switch change.kind {
      case .unlink:
        removed.insert(pair)
        wanted.updateValue(nil, forKey: pair)
      case .link(let position, let inversePosition):
        let before = wanted[pair] ?? nil
        wanted[pair] = (position ?? before?.position, inversePosition ?? before?.inversePosition)
      }
    }
    self.removed = removed.sorted(by: Self.isLess)
    linked = wanted.compactMap { pair, link in
      link.map { (pair, $0.position, $0.inversePosition) }
    }.sorted { Self.isLess($0.pair, $1.pair) }
  }

  private static func isLess(_ left: Pair, _ right: Pair) -> Bool {
    (left.source, left.destination) < (right.source, right.destination)
  }
}
