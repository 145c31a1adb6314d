// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// Which tables of the source the hierarchies and links of the destination go on to use.
struct KeptTables {
  private var tables: [ObjectIdentifier: SQLTable] = [:]
  private var linkTables: [ObjectIdentifier: SQLLinkTable] = [:]
  private var kept: Set<String> = []

  init(_ change: SchemaChange, source: SQLSchema, sources: EntitySources) {
    findTables(change.destination, source, sources)
    findLinkTables(change, source)
  }

  /// The table that a hierarchy of the destination goes on to use; nil for a new one.
  func table(ofRoot root: EntityDescription) -> SQLTable? { tables[ObjectIdentifier(root)] }

  /// The table that links of the destination go on to use; nil for a new one.
  func table(of links: LinkTable) -> SQLLinkTable? { linkTables[ObjectIdentifier(links)] }

  /// Whether a table of the source is used further.
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
    // A hierarchy keeps the table of its root; one with another root keeps that of the first member whose own is free.
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
  /// Whether the pairs stay in their table of links, under another name or with an order that is new.
  var keepsTable: Bool {
    guard case .links(let old) = from, case .links(let new) = to else { return false }
    return !isShared && !isReversed && old.isSymmetric == new.isSymmetric
  }

  /// Whether the first and the second keys of `to` come with an order.
  var carriesFirsts: Bool { isReversed ? from.ordersSeconds : from.ordersFirsts }
  var carriesSeconds: Bool { isReversed ? from.ordersFirsts : from.ordersSeconds }
}
