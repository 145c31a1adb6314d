// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// The columns of a kept table that the properties of a hierarchy keep using.
///
/// A property keeps a column only if the column holds no other value in any record that has the property. Every other
/// property gets a new column. So no step of an evolution overwrites a value that a later step still reads, in
/// whichever order the steps run.
struct KeptColumns {
  /// The columns that are kept, by the paths of their properties.
  private(set) var assignments: [(path: SQLNames.Path, identifier: String)] = []

  /// An entity of the destination, with its slots.
  private struct Member {
    var slots: [Slot] = []
    /// Whether there are records of the entity in the source.
    var hasRecords = false
    /// The columns of the table that have values of the entity's records.
    var held: Set<String> = []
    /// The columns that its properties keep.
    var used: Set<String> = []
  }

  private struct Slot {
    let path: SQLNames.Path
    let kind: SlotKind
    /// The column of the table that has the values now, if they have the same type.
    let old: SQLColumn?
    /// Whether the values stay as they are.
    let isUnchanged: Bool
  }

  private let change: SchemaChange
  private let source: SQLSchema
  private let table: SQLTable
  /// Whether only columns are kept in which no value changes.
  private let copiesChanges: Bool

  /// Finds the columns.
  ///
  /// - Parameters:
  ///   - table: The table of the source.
  ///   - root: The root of the destination's hierarchy that keeps the table.
  ///   - entities: The entities of the hierarchy, superentities before subentities.
  init(
    _ change: SchemaChange, _ source: SQLSchema, _ sources: EntitySources, _ table: SQLTable,
    root: EntityDescription, entities: [EntityDescription], copiesChanges: Bool
  ) {
    self.copiesChanges = copiesChanges
    self.change = change
    self.source = source
    self.table = table
    let space = SQLNames.Path.columnSpace(table: root.name ?? "")
    assign(entities.map { member($0, sources, space) })
  }

  private mutating func assign(_ found: [Member]) {
    var members = found
    var users: [String: [(member: Int, old: String?, isUnchanged: Bool)]] = [:]
    for (index, member) in members.enumerated() {
      for slot in member.slots {
        users[slot.path.text, default: []].append((index, slot.old?.name, slot.isUnchanged))
      }
    }
    var known: Set<String> = []
    var kinds: [String: SlotKind] = [:]
    for slot in found.flatMap(\.slots) {
      let path = slot.path.text
      // Several paths can keep one column, as after an attribute was moved down to two subentities.
      guard let column = slot.old, !known.contains(path),
        kinds[column.name] ?? slot.kind == slot.kind,
        source.dialect.columnType(slot.kind) == source.dialect.columnType(column.kind)
      else { continue }
      let all = users[path] ?? []
      let isFree = all.allSatisfy { user in
        let isChanged =
          copiesChanges && members[user.member].hasRecords
          && !(user.isUnchanged && user.old == column.name)
        return !isChanged && !members[user.member].used.contains(column.name)
          && (user.old == column.name || !members[user.member].held.contains(column.name))
      }
      guard isFree else { continue }
      known.insert(path)
      kinds[column.name] = slot.kind
      for user in all { members[user.member].used.insert(column.name) }
      assignments.append((slot.path, column.name))
    }
  }

  private func member(
    _ entity: EntityDescription, _ sources: EntitySources, _ space: String
  ) -> Member {
    var member = Member()
    let olds = columns(of: entity, sources, held: &member.held)
    let evolved = change.entities.first { $0.destination === entity }
    member.hasRecords = evolved != nil
    let unchanged = Set(evolved.map(unchangedSlots) ?? [])
    let stored = Set(entity.layout.storedSlots)
    let owners = SlotOwners(entity)
    for (slot, property) in zip(entity.layout.slots, entity.layout.names)
    where stored.contains(slot) {
      let path = SQLNames.Path.column(space, entity: owners.owner(of: slot), property: property)
      member.slots.append(
        Slot(
          path: path, kind: slot.kind, old: olds[slot], isUnchanged: unchanged.contains(slot)))
    }
    return member
  }

  /// Returns the slots whose values all stay.
  private func unchangedSlots(_ entity: EntityChange) -> [RowSlot] {
    entity.slots.filter { slot in
      guard case .kept(let from) = slot.origin else { return false }
      guard case .reference(let new) = entity.destination.layout.contents[slot.slot.index],
        case .reference(let old) = entity.source.layout.contents[from.index]
      else { return true }
      return change.codesLeft(by: old, for: new).isEmpty
    }.map(\.slot)
  }

  /// Returns the columns of the table that have the values of an entity's slots.
  private func columns(
    of entity: EntityDescription, _ sources: EntitySources, held: inout Set<String>
  ) -> [RowSlot: SQLColumn] {
    var columns: [RowSlot: SQLColumn] = [:]
    if let change = change.entities.first(where: { $0.destination === entity }) {
      guard let old = source.entity(change.source), old.table === table else { return [:] }
      held = Set(old.storedSlots.compactMap { old.column($0)?.name })
      for slot in change.slots { columns[slot.slot] = slot.origin.keptSlot.flatMap(old.column) }
      return columns
    }
    // An abstract entity has columns although it has no records.
    guard let before = sources[entity], before.isAbstract, entity.isAbstract,
      let old = source.entity(before), old.table === table
    else { return [:] }
    for (slot, name) in zip(entity.layout.slots, entity.layout.names) {
      columns[slot] = before.layout.slot(named: name).flatMap(old.column)
    }
    return columns
  }
}
