// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

/// Decodes the output of a ``ChangeSetEncoder``. It accepts untrusted bytes: the result is a change set that the
/// store can write, or an error.
struct ChangeSetDecoder {
  private let schema: StoreSchema
  private let version: UInt8
  private var shapes: [Int: Shape] = [:]

  /// The encoded layout of an entity's rows.
  private struct Shape {
    let layout: RowLayout
    /// The layout indices of the encoded slots: a model that was read from its text, such as that of an earlier
    /// version, may order slots differently.
    let places: [Int]
    /// The slots with values, in the encoded order.
    let stored: [RowSlot]
  }

  init(_ schema: StoreSchema, version: UInt8) {
    self.schema = schema
    self.version = version
  }

  mutating func changes(_ reader: inout HistoryReader) throws -> StoreChangeSet {
    try readLayouts(&reader)
    var changes = StoreChangeSet()
    changes.inserted = try list(&reader) { try $0.row(&$1) }
    changes.updated = try list(&reader) { try $0.update(&$1) }
    changes.deleted = try list(&reader) { try $0.version(&$1) }
    changes.locked = try list(&reader) { try $0.version(&$1) }
    changes.links = try links(&reader)
    try readMetadata(&reader, into: &changes)
    changes.origin = StoreChangeSet.Origin(
      author: try reader.optionalText(), contextName: try reader.optionalText())
    changes.notes = try optional(&reader) { try $0.notes(&$1) }
    return changes
  }

  private func readMetadata(
    _ reader: inout HistoryReader, into changes: inout StoreChangeSet
  ) throws {
    changes.metadata = try optional(&reader) { try StoreMetadata(json: Data($1.counted())) }
    guard version > 1, changes.metadata != nil else { return }
    changes.earlierMetadata = try optional(&reader) { try StoreMetadata(json: Data($1.counted())) }
  }

  // MARK: - Layouts and rows

  private mutating func readLayouts(_ reader: inout HistoryReader) throws {
    for _ in 0..<(try reader.count()) {
      let code = try self.code(try reader.number())
      guard let layout = schema.layout(ofKey: RecordKey.make(sequence: 1, entityCode: code)),
        try reader.count() == layout.slots.count
      else { throw HistoryDamage() }
      let places = try layout.slots.indices.map { number in
        let (name, kind) = (try reader.text(), try reader.byte())
        let isInOrder = layout.names[number] == name
        guard let place = isInOrder ? number : layout.names.firstIndex(of: name),
          layout.slots[place].kind.rawValue == kind
        else { throw HistoryDamage() }
        return place
      }
      guard Set(places).count == places.count else { throw HistoryDamage() }
      let stored = Set(layout.storedSlots.map(\.index))
      shapes[code] = Shape(
        layout: layout, places: places,
        stored: places.map { layout.slots[$0] }.filter { stored.contains($0.index) })
    }
  }

  private func code(_ number: UInt64) throws -> Int {
    guard number <= UInt64(RecordKey.largestEntityCode) else { throw HistoryDamage() }
    return Int(number)
  }

  private func row(_ reader: inout HistoryReader) throws -> Row {
    let (key, version) = (try key(&reader), try reader.signed())
    guard let shape = shapes[RecordKey.entityCode(of: key)] else { throw HistoryDamage() }
    let row = Row(layout: shape.layout, key: key, version: version)
    for slot in shape.stored { try row.setValue(try reader.value(), at: slot) }
    return row
  }

  private func update(_ reader: inout HistoryReader) throws -> RowUpdate {
    let (row, baseVersion) = (try row(&reader), try reader.signed())
    let slots = try (0..<reader.count()).map { _ in try reader.number() }
    let isAscending = zip(slots, slots.dropFirst()).allSatisfy { $0 < $1 }
    guard isAscending, slots.last ?? 0 < UInt64(row.layout.slots.count) || slots.isEmpty else {
      throw HistoryDamage()
    }
    let places = shapes[RecordKey.entityCode(of: row.key)]?.places ?? []
    return RowUpdate(
      row: row, baseVersion: baseVersion, changedSlots: slots.map { places[Int($0)] }.sorted())
  }

  private func version(_ reader: inout HistoryReader) throws -> RowVersion {
    RowVersion(key: try key(&reader), version: try reader.signed())
  }

  /// The key of a record that the store may hold.
  private func key(_ reader: inout HistoryReader) throws -> Int64 {
    let key = try reader.signed()
    guard key > 0, schema.entity(ofKey: key) != nil else { throw HistoryDamage() }
    return key
  }

  /// The key of a record of the store, or the number of one of another store.
  private func linkEnd(_ reader: inout HistoryReader) throws -> Int64 {
    let key = try reader.signed()
    guard key < 0 || key > 0 && schema.entity(ofKey: key) != nil else { throw HistoryDamage() }
    return key
  }

  // MARK: - Links

  private func links(_ reader: inout HistoryReader) throws -> [LinkChange] {
    let tables = try reader.texts().map { name in
      guard let table = schema.linkTables.first(where: { $0.name == name }) else {
        throw HistoryDamage()
      }
      return table
    }
    return try list(&reader) { decoder, reader in
      let number = try reader.number()
      guard number < UInt64(tables.count) else { throw HistoryDamage() }
      return LinkChange(
        table: tables[Int(number)], source: try decoder.linkEnd(&reader),
        destination: try decoder.linkEnd(&reader), kind: try decoder.linkKind(&reader))
    }
  }

  private func linkKind(_ reader: inout HistoryReader) throws -> LinkChange.Kind {
    switch try reader.byte() {
    case 0: .unlink
    case 1:
      .link(
        position: try optional(&reader) { try $1.signed() },
        inversePosition: try optional(&reader) { try $1.signed() })
    default: throw HistoryDamage()
    }
  }

  // MARK: - What the history is to say

  private func notes(_ reader: inout HistoryReader) throws -> HistoryNotes {
    var notes = HistoryNotes(time: Double(bitPattern: try reader.number()))
    for _ in 0..<(try reader.count()) {
      let key = try reader.signed()
      notes.relationships[key] = try reader.texts()
    }
    notes.lastRows = try list(&reader) { try $0.row(&$1) }
    notes.reverted = try list(&reader) { try $1.signed() }
    notes.writer = try reader.number()
    notes.save = try optional(&reader) { try $1.save() }
    notes.undoGroup = try optional(&reader) { try $1.uuid() }
    return notes
  }

  // MARK: - Lists

  private func list<Element>(
    _ reader: inout HistoryReader,
    _ read: (ChangeSetDecoder, inout HistoryReader) throws -> Element
  ) throws -> [Element] {
    try (0..<reader.count()).map { _ in try read(self, &reader) }
  }

  private func optional<Wrapped>(
    _ reader: inout HistoryReader,
    _ read: (ChangeSetDecoder, inout HistoryReader) throws -> Wrapped
  ) throws -> Wrapped? {
    switch try reader.byte() {
    case 0: nil
    case 1: try read(self, &reader)
    default: throw HistoryDamage()
    }
  }
}
