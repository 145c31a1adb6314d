// SPDX-License-Identifier: Apache-2.0

import RoostModel
package import RoostStore

/// The evolution of a store's tables from one version of the model to another: a value without side effects, so that
/// it can be shown before it runs.
///
/// It runs in one transaction, so no single step needs to leave the store in a usable state. Values move before their
/// sources are removed: new tables and columns first, then records, values and relationships, then removals, indexes,
/// derived values and uniqueness.
package struct SQLEvolution {
  package let change: SchemaChange
  /// The present tables.
  package let source: SQLSchema
  /// The tables after the evolution.
  package let destination: SQLSchema
  /// The names after the evolution.
  package let names: SQLNames
  /// The present tables by name, as far as the catalog has them.
  package let presentTables: Set<String>
  /// The present names.
  let oldNames: SQLNames
  /// The steps, in order.
  package internal(set) var tasks: [SQLEvolutionTask] = []

  let sources: EntitySources
  let kept: KeptTables
  /// The kept tables that are renamed.
  let renamed: Set<String>
  /// Whether columns and tables can be removed later: a program of the old version must not read them meanwhile.
  let removesLater: Bool
  /// Whether deferrable tasks are deferred.
  let defers: Bool
  /// Whether every value that changes gets a column of its own, so that programs of the old version can go on until
  /// the version changes.
  let inBatches: Bool

  /// Plans an evolution.
  ///
  /// - Parameters:
  ///   - change: The difference of the two versions.
  ///   - names: The store's table of names.
  ///   - catalog: The tables and indexes that the store has.
  ///   - dialect: The database's SQL dialect.
  ///   - hidesFromReaders: Whether a table is renamed when a program of the old version would misread it. Then the
  ///     removal of columns and tables is not deferred, because that program would find them.
  ///   - defers: Whether deferrable tasks are deferred.
  ///   - inBatches: Whether it is to run in several transactions (``BatchedEvolution``).
  /// - Throws: `corruptStore` when the names do not fit the source, `persistentStoreIncompatibleSchema` when tables or
  ///   columns were removed outside of Roost.
  package init(
    _ change: SchemaChange, names: SQLNames, catalog: SQLCatalog, dialect: SQLDialect,
    hidesFromReaders: Bool, defers: Bool = false, inBatches: Bool = false
  ) throws {
    self.change = change
    presentTables = catalog.otherTables.union(catalog.columnsByTable.keys)
    removesLater = !hidesFromReaders
    self.defers = defers
    self.inBatches = inBatches
    oldNames = names
    source = try Self.source(change, names, catalog, dialect)
    sources = EntitySources(change)
    kept = KeptTables(change, source: source, sources: sources)
    if hidesFromReaders {
      var draft = EvolutionNames(change, source, sources, kept, renamed: [], old: names)
      renamed = IncompatibleTables(change, source, draft.map().0, kept).names
    } else {
      renamed = []
    }
    var naming = EvolutionNames(
      change, source, sources, kept, renamed: renamed, old: names, keepsSource: inBatches,
      copiesChanges: inBatches)
    (destination, self.names) = naming.map()
    try checkColumns()
    let indexes = IndexChanges(self, catalog)
    tasks += refusals() + [indexes.drops].compactMap { $0 }
    tasks += try renames() + tables() + columns() + movedRecords() + fills()
    tasks += relations() + staleReferences() + removals()
    tasks += tableRenames() + indexes.creations + derivations() + indexes.uniqueness
  }

  /// The tasks that run now.
  package var presentTasks: [SQLEvolutionTask] {
    defers ? tasks.filter { $0.later == nil } : tasks
  }

  /// The deferred steps, in order.
  package var deferredSteps: [DeferredStep] { defers ? tasks.flatMap { $0.later ?? [] } : [] }

  /// Maps two versions side by side, without steps from one to the other: common tables and columns have one
  /// identifier, and all others have identifiers that only one version uses.
  ///
  /// - Parameter second: The names of the destination, if they were assigned before.
  package init(
    beside change: SchemaChange, names: SQLNames, second: SQLNames?, catalog: SQLCatalog,
    dialect: SQLDialect
  ) throws {
    self.change = change
    presentTables = catalog.otherTables.union(catalog.columnsByTable.keys)
    removesLater = false
    defers = false
    inBatches = false
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

  /// Checks that each slot of an entity has a column of its own, before anything is written.
  ///
  /// - Throws: `corruptStore` when two slots share a column.
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

  /// The paths whose identifiers are removed.
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
  /// Whether a path names an index, which is created again when it is missing.
  package var isOfIndex: Bool {
    let table = SQLNames.Path.tableSpace + "/"
    return hasPrefix(table) && !hasPrefix(table + "entity/") && !hasPrefix(table + "links/")
  }
}

// MARK: - Places during the evolution

extension SQLEvolution {
  var dialect: SQLDialect { destination.dialect }

  /// A table as the statements of the evolution name it.
  struct Place {
    let reference: String
    /// The alias that qualifies its columns.
    let alias: String
    /// The codes of the records that can be in it during the evolution.
    let codes: Set<Int>
  }

  /// Returns the place of a destination's table during the evolution: a kept table is renamed at the end.
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

  /// Returns whether a column of the destination is in no table of the source.
  func isNew(_ column: SQLColumn, in table: SQLTable) -> Bool {
    guard let before = kept.table(ofRoot: table.root) else { return true }
    return !before.columns.contains { $0.name == column.name }
  }

  /// The columns that stay in their tables, by the names of the tables, which these keep.
  package var columnsInPlace: [String: Set<String>] {
    var columns: [String: Set<String>] = [:]
    for table in destination.tables where kept.table(ofRoot: table.root)?.name == table.name {
      columns[table.name] = Set(table.columns.map(\.name))
    }
    return columns
  }

  /// Returns whether the records of an entity stay in their table.
  func stays(_ entity: EntityChange) -> Bool {
    guard let old = source.entity(entity.source), let new = destination.entity(entity.destination)
    else { return false }
    return kept.table(ofRoot: new.table.root) === old.table
  }

  /// Returns the condition that a record is of certain entities; nil when all records of its table are.
  func condition(_ codes: [Int], in place: Place, alias: String? = nil) -> String? {
    guard !place.codes.isSubset(of: codes) else { return nil }
    return SQLEntityFilter.condition(codes, alias: alias, dialect: dialect)
  }

  /// Returns the condition that a column refers to records of certain entities.
  ///
  /// - Parameter others: Whether references to records of other stores count, which are negative numbers without an
  ///   entity code; nil for the key of a record, which is the store's own.
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

  /// Returns the codes of the concrete entities of a source entity.
  func sourceCodes(_ entity: EntityDescription?) -> Set<Int> { change.source.codes(of: entity) }

  func destinationCodes(_ entity: EntityDescription?) -> Set<Int> {
    change.destination.codes(of: entity)
  }

  var key: String { dialect.quoted(SQLTable.key) }

  /// Returns the condition that a column is in the range of the first two parameters.
  func inRange(_ column: String) -> String {
    "\(column) > \(dialect.parameter(1)) AND \(column) <= \(dialect.parameter(2))"
  }

  /// Returns a statement that runs for ranges of a table's keys.
  func ranged(
    _ text: String, _ values: [SQLValue] = [], over place: Place, by column: String? = nil
  ) -> SQLEvolutionTask.Action {
    .write(
      SQLEvolutionTask.RangedStatement(
        text: text, values: values, table: place.reference, column: column ?? key))
  }
}

extension SchemaChange {
  /// Returns the codes of the records to which a relationship leads in the source, and cannot in the destination.
  func codesLeft(
    by old: RelationshipDescription, for new: RelationshipDescription
  ) -> Set<Int> {
    source.codes(of: old.destinationEntity)
      .subtracting(destination.codes(of: new.destinationEntity))
  }
}
