// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// Which slots of a record are kept together.
enum HistoryValues {
  /// The slots whose previous values an update keeps: those that are stored, and of a composite all elements, so that
  /// its value is known whole.
  static func slots(of changed: [Int], in layout: RowLayout) -> [Int] {
    var result = Set(changed.filter { layout.contents[$0].isStored })
    let composites = Set(changed.compactMap { composite(layout.contents[$0]) })
    if !composites.isEmpty {
      for (index, content) in layout.contents.enumerated() where content.isStored {
        if let name = composite(content), composites.contains(name) { result.insert(index) }
      }
    }
    return result.sorted()
  }

  /// The composite attribute to which a slot belongs; nil for others.
  private static func composite(_ content: SlotContent) -> Substring? {
    guard case .attribute(_, let name) = content, let dot = name.firstIndex(of: ".") else {
      return nil
    }
    return name[..<dot]
  }
}

// What a history keeps of the time before a transaction. A record that is not in the version that is changed has no
// values here: then its save is refused, and with it the transaction.
extension HistoryWriter {
  /// The slots, and what they held in each record.
  mutating func put(
    _ previous: PreviousState, of keys: [Int64], slots: [Int], _ schema: StoreSchema
  ) throws {
    guard let layout = keys.first.flatMap({ schema.layout(ofKey: $0) }) else {
      return put(UInt64(0))
    }
    put(slots, of: layout)
    for key in keys { try put(slots, of: previous.rows[key]) }
  }

  /// The stored slots, and each record's version and values.
  mutating func put(
    last previous: PreviousState, of keys: ArraySlice<Int64>, _ schema: StoreSchema
  ) throws {
    let layout = keys.first.flatMap { schema.layout(ofKey: $0) }
    let slots = layout?.storedSlots.map(\.index) ?? []
    if let layout { put(slots, of: layout) } else { put(UInt64(0)) }
    for key in keys {
      put(signed: previous.rows[key]?.version ?? 0)
      try put(slots, of: previous.rows[key])
    }
  }

  private mutating func put(_ slots: [Int], of layout: RowLayout) {
    put(UInt64(slots.count))
    for slot in slots {
      bytes.append(layout.contents[slot].previousKind.rawValue)
      put(layout.names[slot])
    }
  }

  private mutating func put(_ slots: [Int], of row: Row?) throws {
    for slot in slots { try put(row.map { $0.value(at: $0.layout.slots[slot]) } ?? .null) }
  }

  /// The links, table after table.
  mutating func put(links: [LinkChange], _ schema: StoreSchema) {
    var tables: [(table: LinkTable, links: [LinkChange])] = []
    for link in links {
      if tables.last?.table !== link.table { tables.append((link.table, [])) }
      tables[tables.count - 1].links.append(link)
    }
    put(UInt64(tables.count))
    for (table, links) in tables {
      put(UInt64(table.relationship.entity.flatMap { schema.code(of: $0) } ?? 0))
      put(table.relationship.name)
      put(UInt64(links.count))
      for link in links {
        put(signed: link.source)
        put(signed: link.destination)
        put(link.kind)
      }
    }
  }

  private mutating func put(_ state: LinkChange.Kind) {
    guard case .link(let position, let inversePosition) = state else { return bytes.append(0) }
    bytes.append(1 | (position == nil ? 0 : 2) | (inversePosition == nil ? 0 : 4))
    if let position { put(signed: position) }
    if let inversePosition { put(signed: inversePosition) }
  }
}
