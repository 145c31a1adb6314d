// SPDX-License-Identifier: Apache-2.0

import RoostModel
package import RoostStore

/// What brings a store's tables from one version of the model to another: made of values alone, so that it can be shown
/// before anything is done.
///
/// Everything is one transaction, so no step needs to leave the store in a usable state. Values move before what they
/// come from is removed: new tables and columns first, then records, values and relationships, then removals, indexes,
/// derived values and uniqueness.
package struct SQLEvolution {
  package let change: SchemaChange
  /// The tables as they are.
  package let source: SQLSchema
  /// The tables as they are to be.
  package let destination: SQLSchema
  /// The names as they are to be.
  package let names: SQLNames
  /// The names as they are.
  let oldNames: SQLNames
  /// The steps, in order.
  package internal(set) var tasks: [SQLEvolutionTask] = []

  let sources: EntitySources
  let kept: KeptTables
  /// Each kept table that gets another identifier.
  let renamed: Set<String>
  /// Whether columns and tables can be removed later: who knows the old version must not read them meanwhile.
  let removesLater: Bool
  /// Whether what can be left for later is left.
  let defers: Bool

  /// Plans an evolution.
  ///
  /// - Parameters:
  ///   - change: The difference of the two versions.
  ///   - names: The store's table of names.
  ///   - catalog: The tables and indexes that the store has.
  ///   - dialect: How the database writes SQL.
  ///   - hidesFromReaders: Whether a table gets another identifier when who knows the old version would misread it.
  ///     Then columns and tables are not left for later, because it would find them.
  ///   - defers: Whether what can be left for later is left.
  /// - Throws: `corruptStore` when the names do not fit the source, `persistentStoreIncompatibleSchema` when others
  ///   have removed tables or columns.
  package init(
    _ change: SchemaChange, names: SQLNames, catalog: SQLCatalog, dialect: SQLDialect,
    hidesFromReaders: Bool, defers: Bool = false
  ) throws {
    self.change = change
    removesLater = !hidesFromReaders
    self.defers = defers
    oldNames = names
    source = try Self.source(change, names, catalog, dialect)
    sources = EntitySources(change)
    kept = KeptTables(change, source: source, sources: sources)
    if hidesFromReaders {
      var draft = EvolutionNames(change, source, sources, kept, renamed: [], old: names)
      renamed = MisreadTables(change, source, draft.map().0, kept).names
    } else {
      renamed = []
    }
    var naming = EvolutionNames(change, source, sources, kept, renamed: renamed, old: names)
    (destination, self.names) = naming.map()
    try checkColumns()
    let indexes = IndexChanges(self, catalog)
    tasks += refusals() + [indexes.drops].compactMap { $0 }
    tasks += try renames() + tables() + columns() + movedRecords() + fills()
    tasks += relations() + staleReferences() + removals()
    tasks += tableRenames() + indexes.creations + derivations() + indexes.uniqueness
  }

  /// The tasks that are done now.
  package var presentTasks: [SQLEvolutionTask] {
    defers ? tasks.filter { $0.later == nil } : tasks
  }

  /// What is left for later, in order.
  package var deferredSteps: [DeferredStep] { defers ? tasks.flatMap { $0.later ?? [] } : [] }

  /// Lays two versions beside each other, without a step that leads from one to the other: what both have is in one
  /// place, and everything else under identifiers that only one of them has.
  ///
  /// - Parameter second: The names of the destination where they were given before.
  package init(
    beside change: SchemaChange, names: SQLNames, second: SQLNames?, catalog: SQLCatalog,
    dialect: SQLDialect
  ) throws {
    self.change = change
    removesLater = false
    defers = false
    oldNames = names
    source = try Self.source(change, names, catalog, dialect)
    sources = EntitySources(change)
    kept = KeptTables(change, source: source, sources: sources)
    renamed = []
    if var second {
      destination = SQLSchema(change.destination, dialect: dialect, names: &second)
      guard second.added.allSatisfy(\.isOfIndex) else {
        throw PersistenceError(
          .corruptStore, "The names of the store's second version do not fit its model.")
      }
      self.names = second
    } else {
      var naming = EvolutionNames(
        change, source, sources, kept, renamed: [], old: names, keepsSource: true)
      (destination, self.names) = naming.map()
    }
    try checkColumns()
  }

  /// Makes sure that each slot of an entity has a column of its own, before anything is written.
  ///
  /// - Throws: `corruptStore` when two of them have one.
  private func checkColumns() throws {
    for entity in change.destination.entities {
      guard let mapped = destination.entity(entity) else { continue }
      var seen: [Int: RowSlot] = [:]
      for slot in mapped.storedSlots {
        let column = mapped.columnBySlot[slot.index]
        guard let other = seen.updateValue(slot, forKey: column) else { continue }
        let names = [other, slot].map { entity.layout.names[$0.index] }
        throw PersistenceError(
          .corruptStore,
          "“\(names[0])” and “\(names[1])” of \(entity.name ?? "") would have one column, "
            + "\(mapped.table.columns[column].name). Nothing was written.",
          entityName: entity.name, key: names[1])
      }
    }
  }

  private static func source(
    _ change: SchemaChange, _ names: SQLNames, _ catalog: SQLCatalog, _ dialect: SQLDialect
  ) throws -> SQLSchema {
    var known = names
    let source = SQLSchema(change.source, dialect: dialect, names: &known)
    guard known.added.allSatisfy(\.isOfIndex) else {
      throw PersistenceError(
        .corruptStore, "The store's table of names does not fit the model that it was written with."
      )
    }
    guard try catalog.changes(to: source, names: names).tables.isEmpty else {
      throw PersistenceError(
        .corruptStore, "The store lacks tables of the model that it was written with.")
    }
    return source
  }

  /// The paths whose identifier goes.
  package var removedPaths: [String] {
    oldNames.identifiers.keys.filter { names.identifiers[$0] == nil }.sorted()
  }

  /// The paths that get an identifier, or another one.
  package var writtenNames: [(path: String, identifier: String)] {
    names.identifiers.filter { oldNames.identifiers[$0.key] != $0.value }
      .sorted { $0.key < $1.key }.map { ($0.key, $0.value) }
  }
}

extension String {
  /// Whether a path names an index, which is made anew where it is missing.
  package var isOfIndex: Bool {
    let table = SQLNames.Path.tableSpace + "/"
    return hasPrefix(table) && !hasPrefix(table + "entity/") && !hasPrefix(table + "links/")
  }
}

// MARK: - Where things are until the end

extension SQLEvolution {
  var dialect: SQLDialect { destination.dialect }

  /// A table as it stands in statements of the evolution.
  struct Place {
    let reference: String
    /// The name by which its columns are told from those of others.
    let alias: String
    /// The codes of the records that can be in it meanwhile.
    let codes: Set<Int>
  }

  /// Where a table of the destination is meanwhile: a kept one gets its new name at the end.
  func place(of table: SQLTable) -> Place {
    guard let before = kept.table(ofRoot: table.root) else {
      return Place(
        reference: table.reference, alias: dialect.quoted(table.name), codes: Set(table.codes))
    }
    return Place(
      reference: before.reference, alias: dialect.quoted(before.name),
      codes: Set(before.codes).union(table.codes))
  }

  func place(ofSource table: SQLTable) -> Place {
    if let after = destination.tables.first(where: { kept.table(ofRoot: $0.root) === table }) {
      return place(of: after)
    }
    return Place(
      reference: table.reference, alias: dialect.quoted(table.name), codes: Set(table.codes))
  }

  func place(of table: SQLLinkTable) -> Place {
    let found = kept.table(of: table.links) ?? table
    return Place(reference: found.reference, alias: dialect.quoted(found.name), codes: [])
  }

  /// Whether the records of an entity stay in their table.
  func stays(_ entity: EntityChange) -> Bool {
    guard let old = source.entity(entity.source), let new = destination.entity(entity.destination)
    else { return false }
    return kept.table(ofRoot: new.table.root) === old.table
  }

  /// The condition that a record is of certain entities; nil when all of its table are.
  func condition(_ codes: [Int], in place: Place, alias: String? = nil) -> String? {
    guard !place.codes.isSubset(of: codes) else { return nil }
    return SQLEntityFilter.condition(codes, alias: alias, dialect: dialect)
  }

  /// The condition that a column names records of certain entities.
  ///
  /// - Parameter others: Whether records of other stores count, whose numbers are negative and say no entity; nil for
  ///   the key of a record, which is the store's own.
  func condition(
    _ column: String, names codes: some Sequence<Int>, others: Bool? = nil
  ) -> String {
    let list = codes.sorted().map(String.init).joined(separator: ", ")
    let isNamed = list.isEmpty ? "1 = 0" : "(\(column) & 4095) IN (\(list))"
    return switch others {
    case nil: isNamed
    case .some(true): "(\(column) < 0 OR \(isNamed))"
    case .some(false): "(\(column) > 0 AND \(isNamed))"
    }
  }

  /// The codes of the concrete entities of one of the source's.
  func sourceCodes(_ entity: EntityDescription?) -> Set<Int> {
    Set((entity?.concreteEntities ?? []).compactMap(change.source.code(of:)))
  }

  func destinationCodes(_ entity: EntityDescription?) -> Set<Int> {
    Set((entity?.concreteEntities ?? []).compactMap(change.destination.code(of:)))
  }

  var key: String { dialect.quoted(SQLTable.key) }

  /// A condition that a column is in the range of the first two parameters.
  func inRange(_ column: String) -> String {
    "\(column) > \(dialect.parameter(1)) AND \(column) <= \(dialect.parameter(2))"
  }

  /// A statement for ranges of keys of a table.
  func ranged(
    _ text: String, _ values: [SQLValue] = [], over place: Place, by column: String? = nil
  ) -> SQLEvolutionTask.Action {
    .write(
      SQLEvolutionTask.RangedStatement(
        text: text, values: values, table: place.reference, column: column ?? key))
  }
}
