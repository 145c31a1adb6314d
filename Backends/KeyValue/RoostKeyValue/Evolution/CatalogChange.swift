// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// The entry tables of a store after a model migration.
///
/// A table whose content stays the same is carried over, even under another name; all others are emptied, and the
/// tables that replace them are created.
struct CatalogChange {
  /// The catalog after the migration.
  let catalog: IndexCatalog
  /// The indexes to fill, with their tables.
  let builtIndexes: [IndexDefinition]
  /// The tables that nothing uses any more.
  let emptiedTables: [EntryTable]

  init(_ run: EvolutionRun) {
    // An index that is not filled yet is none.
    let unbuilt = run.unbuilt
    let old = run.catalog.tables.filter { !unbuilt.contains($0.key) }
    var renamed: [String: String] = [:]
    let sources = KeyValueSchema.definitions(for: run.change.source)
    let definitions = KeyValueSchema.definitions(for: run.change.destination)
    var isBuilt: [IndexDefinition] = []
    for definition in definitions {
      let source = sources.first { source in
        old[source.signature] != nil && renamed[source.signature] == nil
          && run.keeps(source, as: definition)
      }
      if let source {
        renamed[source.signature] = definition.signature
      } else {
        isBuilt.append(definition)
      }
    }
    for (source, destination) in run.change.keptLinkTables {
      renamed[source.forwardSignature] = destination.forwardSignature
      renamed[source.backwardSignature] = destination.backwardSignature
    }
    // The history does not depend on the model version.
    renamed[HistoryTable.signature] = HistoryTable.signature
    // References to other stores do not depend on it either.
    for signature in ForeignTables.signatures { renamed[signature] = signature }
    for move in run.change.moves {
      guard let (source, destination) = run.renamedTables(of: move) else { continue }
      let signatures = [destination.forwardSignature, destination.backwardSignature]
      renamed[source.forwardSignature] = signatures[move.isReversed ? 1 : 0]
      renamed[source.backwardSignature] = signatures[move.isReversed ? 0 : 1]
    }
    var catalog = IndexCatalog()
    catalog.nextNumber = run.catalog.nextNumber
    catalog.generation = (run.catalog.generation ?? 0) &+ 1
    for (signature, table) in old {
      if let name = renamed[signature] { catalog.tables[name] = table }
    }
    emptiedTables = run.catalog.tables.filter { unbuilt.contains($0.key) || renamed[$0.key] == nil }
      .map(\.value).sorted { $0.number < $1.number }
    for signature in KeyValueSchema.signatures(for: run.change.destination) {
      _ = catalog.add(signature)
    }
    builtIndexes = isBuilt.compactMap { definition in
      catalog.tables[definition.signature].map {
        definition.placed(in: $0, longestKey: run.longestEntryKey)
      }
    }
    self.catalog = catalog
  }

  /// Writes the list, and empties the tables that are not used any more unless that is left for later.
  func write(to batch: inout WriteBatch, defers: Bool) throws {
    if !defers { for table in emptiedTables { batch.empty(table) } }
    batch.setBlob(try catalog.bytes(), named: IndexCatalog.blobName)
  }

  /// The entry tables of a table of links.
  func tables(of links: LinkTable) -> (forward: EntryTable, backward: EntryTable)? {
    guard let forward = catalog.tables[links.forwardSignature],
      let backward = catalog.tables[links.backwardSignature]
    else { return nil }
    return (forward, backward)
  }
}

extension EvolutionRun {
  /// Whether the entries of an index of the source are those of an index of the destination.
  func keeps(_ source: IndexDefinition, as destination: IndexDefinition) -> Bool {
    func inhabited(_ codes: [Int]) -> Set<Int> { Set(codes.filter { counts[$0] ?? 0 > 0 }) }
    let codes = inhabited(destination.entityCodes)
    guard source.purpose.isLike(destination.purpose), inhabited(source.entityCodes) == codes,
      source.components.count == destination.components.count,
      source.conditions.count == destination.conditions.count
    else { return false }
    let components = zip(source.components, destination.components)
    let conditions = zip(source.conditions, destination.conditions)
    guard
      components.allSatisfy({ old, new in
        old.isDescending == new.isDescending && old.slot.kind == new.slot.kind
      }),
      conditions.allSatisfy({ old, new in
        old.condition == new.condition && old.slot.kind == new.slot.kind
      })
    else { return false }
    let slots =
      components.map { ($0.slot, $1.slot) } + conditions.map { ($0.slot, $1.slot) }
    return codes.allSatisfy { code in
      guard let entity = entities[code] else { return false }
      let computed = derivedSlots[code] ?? []
      return slots.allSatisfy { old, new in
        entity.keptSlot(new)?.index == old.index && !computed.contains(new.index)
      }
    }
  }

  /// The tables of links that a move only gives another name or direction; nil when it writes entries.
  func renamedTables(of move: RelationMove) -> (from: LinkTable, to: LinkTable)? {
    guard let tables = move.renamedTables, catalog.tables[tables.from.forwardSignature] != nil,
      catalog.tables[tables.from.backwardSignature] != nil, !losesLinks(move)
    else { return nil }
    return tables
  }

  /// Whether a move loses pairs because one of their records is removed.
  private func losesLinks(_ move: RelationMove) -> Bool {
    let to = move.to.codes(in: change.destination)
    return losesRecords(
      from: move.from, firsts: move.isReversed ? to.seconds : to.firsts,
      seconds: move.isReversed ? to.firsts : to.seconds)
  }

  /// Whether there are records that can be in pairs now, and cannot be any more.
  func losesRecords(
    from place: RelationMove.Place, firsts: Set<Int>, seconds: Set<Int>
  ) -> Bool {
    let from = place.codes(in: change.source)
    func lost(_ old: Set<Int>, _ new: Set<Int>) -> Int {
      count(of: old.subtracting(new.subtracting(removedCodes)))
    }
    return lost(from.firsts, firsts) > 0 || lost(from.seconds, seconds) > 0
  }
}

extension IndexDefinition.Purpose {
  /// Whether entries are kept for the same end, of whichever attributes.
  fileprivate func isLike(_ other: Self) -> Bool {
    switch (self, other) {
    case (.fetch, .fetch), (.unique, .unique), (.inverse, .inverse),
      (.words, .words):
      true
    default: false
    }
  }
}
