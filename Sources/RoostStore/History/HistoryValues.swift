// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// Selection of the slots whose previous values a history keeps.
enum HistoryValues {
  /// Returns the slots whose previous values an update keeps: the changed slots that are stored, and all elements of
  /// a changed composite, so that its whole value is known.
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

  /// Returns the composite attribute that a slot belongs to; nil for other slots.
  private static func composite(_ content: SlotContent) -> Substring? {
    guard case .attribute(_, let name) = content, let dot = name.firstIndex(of: ".") else {
      return nil
    }
    return name[..<dot]
  }
}

// Encoding of previous values and previous links. A record that is not in the expected version has no values here:
// its save is refused, and the transaction with it.
extension HistoryWriter {
  /// Writes the slots, and their previous values in each record.
  mutating func put(
    _ previous: PreviousState, of keys: [Int64], slots: [Int], _ schema: StoreSchema
  ) throws {
    guard let layout = keys.first.flatMap({ schema.layout(ofKey: $0) }) else {
      return put(UInt64(0))
    }
    put(slots, of: layout)
    for key in keys { try put(slots, of: previous.rows[key]) }
  }

  /// Writes the stored slots, and the version and the values of each record.
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

  /// Writes the links, table by table.
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
