// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// Assigns the identifiers of a destination's tables, columns and indexes: those that they had under other names, or
/// new ones.
///
/// Identifiers of removed tables and columns are never reused: a program that has the store open with the old version
/// cannot find other values under them.
struct EvolutionNames {
  private let change: SchemaChange
  private let source: SQLSchema
  private let sources: EntitySources
  private let kept: KeptTables
  /// The kept tables that are renamed.
  private let renamed: Set<String>
  /// Whether the source stays in use, so that the identifier of a removed index cannot be reused.
  private let keepsSource: Bool
  /// Whether values that change get another column.
  private let copiesChanges: Bool
  private let old: SQLNames
  private let lengthLimit: Int
  private var identifiers: [String: String] = [:]

  init(
    _ change: SchemaChange, _ source: SQLSchema, _ sources: EntitySources, _ kept: KeptTables,
    renamed: Set<String>, old: SQLNames, keepsSource: Bool = false, copiesChanges: Bool = false
  ) {
    self.copiesChanges = copiesChanges
    self.keepsSource = keepsSource
    self.change = change
    self.source = source
    self.sources = sources
    self.kept = kept
    self.renamed = renamed
    self.old = old
    lengthLimit = source.dialect.identifierLimit
  }

  /// Maps the destination.
  mutating func map() -> (SQLSchema, SQLNames) {
    let space = SQLNames.Path.tableSpace
    for (path, identifier) in old.identifiers where path.hasPrefix(space + "/") {
      identifiers[SQLNames.Path.retired(identifier, in: space).text] = identifier
    }
    for table in roots() { keepTable(table.root, table.members) }
    for links in change.destination.linkTables { keepTable(links) }
    var names = SQLNames(identifiers, lengthLimit: lengthLimit)
    let first = SQLSchema(change.destination, dialect: source.dialect, names: &names)
    keepIndexes(of: first, names)
    if !keepsSource { releaseIndexes() }
    names = SQLNames(identifiers, lengthLimit: lengthLimit)
    let mapping = SQLSchema(change.destination, dialect: source.dialect, names: &names)
    return (mapping, names)
  }

  private func roots() -> [(root: EntityDescription, members: [EntityDescription])] {
    var order: [EntityDescription] = []
    var members: [ObjectIdentifier: [EntityDescription]] = [:]
    for entity in change.destination.entities where change.destination.code(of: entity) != nil {
      let root = entity.rootEntity
      if members[ObjectIdentifier(root)] == nil { order.append(root) }
      members[ObjectIdentifier(root), default: []].append(entity)
    }
    return order.map { ($0, members[ObjectIdentifier($0)] ?? []) }
  }

  private mutating func keep(_ identifier: String, at path: SQLNames.Path) {
    identifiers[path.text] = identifier
    identifiers[SQLNames.Path.retired(identifier, in: path.space).text] = nil
  }

  // MARK: - Tables and columns

  private mutating func keepTable(_ root: EntityDescription, _ members: [EntityDescription]) {
    guard let table = kept.table(ofRoot: root) else { return }
    let name = root.name ?? ""
    if !renamed.contains(table.name) { keep(table.name, at: .table(root: name)) }
    let space = SQLNames.Path.columnSpace(table: name)
    let oldSpace = SQLNames.Path.columnSpace(table: table.root.name ?? "")
    for (path, identifier) in old.identifiers where path.hasPrefix(oldSpace + "/") {
      identifiers[SQLNames.Path.retired(identifier, in: space).text] = identifier
    }
    let columns = KeptColumns(
      change, source, sources, table, root: root, entities: members, copiesChanges: copiesChanges)
    for (path, identifier) in columns.assignments { keep(identifier, at: path) }
  }

  private mutating func keepTable(_ links: LinkTable) {
    guard let table = kept.table(of: links) else { return }
    if !renamed.contains(table.name) { keep(table.name, at: .links(links.name)) }
    keep(table.reverseIndex, at: .index("reverse", entity: links.name, name: ""))
  }

  // MARK: - Indexes

  /// Keeps the identifiers of unchanged indexes.
  private mutating func keepIndexes(of mapping: SQLSchema, _ names: SQLNames) {
    var paths: [String: String] = [:]
    for path in names.added { paths[names.identifiers[path] ?? ""] = path }
    for table in mapping.tables {
      guard let before = kept.table(ofRoot: table.root) else { continue }
      var free = before.indexes
      for index in table.indexes {
        guard let path = paths[index.name], let place = free.firstIndex(where: index.isLike)
        else { continue }
        let name = free.remove(at: place).name
        identifiers[path] = name
        identifiers[SQLNames.Path.retired(name, in: SQLNames.Path.tableSpace).text] = nil
      }
    }
  }

  /// Releases the identifiers of removed indexes: no request names an index.
  private mutating func releaseIndexes() {
    let space = SQLNames.Path.tableSpace
    let lasting = [space + "/entity/", space + "/links/", space + "//"]
    let free = Set(
      old.identifiers.filter { path, _ in
        path.hasPrefix(space + "/") && !lasting.contains { path.hasPrefix($0) }
      }.values)
    for identifier in free {
      identifiers[SQLNames.Path.retired(identifier, in: space).text] = nil
    }
  }
}

extension SQLIndex {
  /// Returns whether two indexes of one table differ in their names at most.
  func isLike(_ other: SQLIndex) -> Bool {
    terms == other.terms && isUnique == other.isUnique && condition == other.condition
  }
}

extension SlotChange.Origin {
  /// The source slot whose column the slot keeps, where that has values of the same type.
  var keptSlot: RowSlot? {
    switch self {
    case .kept(let slot), .defaulted(let slot, _): slot
    case .converted(let slot, .stringToURI), .converted(let slot, .uriToString): slot
    case .converted(_, .integerToDouble), .constant, .derived, .moved: nil
    }
  }

  /// The source slot from which the values come.
  var sourceSlot: RowSlot? {
    if case .converted(let slot, _) = self { return slot }
    return keptSlot
  }
}
