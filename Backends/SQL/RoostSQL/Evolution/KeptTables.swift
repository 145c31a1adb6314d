// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// The tables of the source that the hierarchies and links of the destination keep using.
struct KeptTables {
  private var tables: [ObjectIdentifier: SQLTable] = [:]
  private var linkTables: [ObjectIdentifier: SQLLinkTable] = [:]
  private var kept: Set<String> = []

  init(_ change: SchemaChange, source: SQLSchema, sources: EntitySources) {
    findTables(change.destination, source, sources)
    findLinkTables(change, source)
  }

  /// Returns the source table that a hierarchy of the destination keeps; nil for a new table.
  func table(ofRoot root: EntityDescription) -> SQLTable? { tables[ObjectIdentifier(root)] }

  /// Returns the source table that links of the destination keep; nil for a new table.
  func table(of links: LinkTable) -> SQLLinkTable? { linkTables[ObjectIdentifier(links)] }

  /// Returns whether a table of the source is kept.
  func keeps(_ name: String) -> Bool { kept.contains(name) }

  private mutating func findTables(
    _ destination: StoreSchema, _ source: SQLSchema, _ sources: EntitySources
  ) {
    var roots: [EntityDescription] = []
    var members: [ObjectIdentifier: [EntityDescription]] = [:]
    for entity in destination.entities where destination.code(of: entity) != nil {
      let root = entity.rootEntity
      if members[ObjectIdentifier(root)] == nil { roots.append(root) }
      members[ObjectIdentifier(root), default: []].append(entity)
    }
    // A hierarchy keeps the table of its root; one with another root keeps that of the first member whose own table is
    // free.
    for root in roots {
      guard let old = sources[root], old.superentity == nil, let table = source.entity(old)?.table
      else { continue }
      keep(table, for: root)
    }
    for root in roots where tables[ObjectIdentifier(root)] == nil {
      let candidates = (members[ObjectIdentifier(root)] ?? []).lazy
        .compactMap { sources[$0] }.compactMap { source.entity($0)?.table }
      if let table = candidates.first(where: { !kept.contains($0.name) }) { keep(table, for: root) }
    }
  }

  private mutating func keep(_ table: SQLTable, for root: EntityDescription) {
    guard kept.insert(table.name).inserted else { return }
    tables[ObjectIdentifier(root)] = table
  }

  private mutating func findLinkTables(_ change: SchemaChange, _ source: SQLSchema) {
    let moved = change.moves.compactMap { move -> (source: LinkTable, destination: LinkTable)? in
      guard move.keepsTable, case .links(let old) = move.from, case .links(let new) = move.to
      else { return nil }
      return (old, new)
    }
    for (old, new) in change.keptLinkTables + moved {
      if let table = source.linkTable(old) { keep(table, for: new) }
    }
  }

  private mutating func keep(_ table: SQLLinkTable, for links: LinkTable) {
    guard kept.insert(table.name).inserted else { return }
    linkTables[ObjectIdentifier(links)] = table
  }
}

extension RelationMove {
  /// Whether the pairs stay in their link table, under another name or with a new order.
  var keepsTable: Bool {
    guard case .links(let old) = from, case .links(let new) = to else { return false }
    return !isShared && !isReversed && old.isSymmetric == new.isSymmetric
  }

  /// Whether the positions of the first and of the second keys of `to` are carried over.
  var carriesFirsts: Bool { isReversed ? from.ordersSeconds : from.ordersFirsts }
  var carriesSeconds: Bool { isReversed ? from.ordersFirsts : from.ordersSeconds }
}
