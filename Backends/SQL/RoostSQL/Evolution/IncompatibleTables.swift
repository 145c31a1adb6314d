// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// The kept tables that a program of the old version could read, but would misread: they are renamed, so that its
/// statements fail (M34).
///
/// Added and removed columns do no harm: the program does not read the former, and its statements fail on the latter.
/// A column that several entities share can stay for some of them, though, while the values of others leave it.
struct IncompatibleTables {
  private(set) var names: Set<String> = []

  /// Finds the tables.
  ///
  /// - Parameter draft: The destination if no table were renamed.
  init(
    _ change: SchemaChange, _ source: SQLSchema, _ draft: SQLSchema, _ kept: KeptTables
  ) {
    addTables(change, source, kept)
    addColumns(change, source, draft, kept)
    addReferences(change, source)
    addLinkTables(change, source, kept)
  }

  private mutating func addTables(
    _ change: SchemaChange, _ source: SQLSchema, _ kept: KeptTables
  ) {
    var codes: [String: Set<Int>] = [:]
    for entity in change.destination.entities where !entity.isAbstract {
      guard let code = change.destination.code(of: entity),
        let table = kept.table(ofRoot: entity.rootEntity)
      else { continue }
      codes[table.name, default: []].insert(code)
    }
    // Records are added or removed.
    for table in source.tables where kept.keeps(table.name) {
      if codes[table.name] != Set(table.codes) { names.insert(table.name) }
    }
    for entity in change.entities {
      guard let table = source.entity(entity.source)?.table else { continue }
      if entity.slots.contains(where: { Self.isMisread($0, entity) }) { names.insert(table.name) }
    }
  }

  /// Returns whether a kept column can have values that the old version does not expect there.
  private static func isMisread(_ slot: SlotChange, _ entity: EntityChange) -> Bool {
    switch slot.origin {
    case .defaulted, .converted: return true
    case .constant, .derived, .moved: return false
    case .kept(let old):
      let now = entity.destination.layout.contents[slot.slot.index]
      let before = entity.source.layout.contents[old.index]
      return now.isOptional && !before.isOptional
    }
  }

  /// Adds the tables with kept columns that no longer hold the values that the old version reads there.
  private mutating func addColumns(
    _ change: SchemaChange, _ source: SQLSchema, _ draft: SQLSchema, _ kept: KeptTables
  ) {
    for entity in change.entities {
      guard let old = source.entity(entity.source), let new = draft.entity(entity.destination),
        kept.table(ofRoot: new.table.root) === old.table
      else { continue }
      let used = Set(new.table.columns.map(\.name))
      let isLeft = old.storedSlots.contains { slot in
        guard let name = old.column(slot)?.name, used.contains(name) else { return false }
        return !entity.slots.contains {
          $0.origin.sourceSlot == slot && new.column($0.slot)?.name == name
        }
      }
      if isLeft { names.insert(old.table.name) }
    }
  }

  /// Adds the tables in which references to removed records are cleared.
  private mutating func addReferences(_ change: SchemaChange, _ source: SQLSchema) {
    let staying = Set(change.entities.map(\.code))
    for entity in change.entities {
      guard let table = source.entity(entity.source)?.table else { continue }
      for case .reference(let relationship) in entity.source.layout.contents {
        let codes = (relationship.destinationEntity?.concreteEntities ?? [])
          .compactMap(change.source.code(of:))
        if !staying.isSuperset(of: codes) { names.insert(table.name) }
      }
    }
    for table in source.linkTables {
      let ends = [table.links.relationship.entity, table.links.relationship.destinationEntity]
      let codes = ends.flatMap { $0?.concreteEntities ?? [] }.compactMap(change.source.code(of:))
      if !staying.isSuperset(of: codes) { names.insert(table.name) }
    }
  }

  private mutating func addLinkTables(
    _ change: SchemaChange, _ source: SQLSchema, _ kept: KeptTables
  ) {
    for move in change.moves {
      switch (move.from, move.to) {
      case (.links(let old), .links):
        // Under another name alone, the links are read as before; in a new order, they are not.
        guard move.keepsTable, let table = source.linkTable(old),
          move.to.ordersFirsts && !move.carriesFirsts
            || move.to.ordersSeconds && !move.carriesSeconds
        else { continue }
        names.insert(table.name)
      case (.slot(let old), .slot) where move.isShared && move.staysInSlot:
        // Other moves add destinations, or positions in an order.
        guard let table = old.entity.flatMap(source.entity)?.table else { continue }
        names.insert(table.name)
      default: continue
      }
    }
    names.formIntersection(
      Set(source.tables.map(\.name) + source.linkTables.map(\.name)).filter(kept.keeps))
  }
}

extension SlotContent {
  /// Whether a record needs no value in the slot.
  var isOptional: Bool {
    switch self {
    case .attribute(let attribute, _): attribute.isOptional
    case .reference(let relationship): relationship.isOptional
    case .position: true
    }
  }
}
