// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// Encodes a change set as bytes.
struct ChangeSetEncoder {
  private let schema: StoreSchema
  private let largestCount: Int
  private var writer = HistoryWriter()

  init(_ schema: StoreSchema, largestCount: Int) {
    self.schema = schema
    self.largestCount = largestCount
  }

  /// Returns the version, the layouts, the lists of the change set in order, and the checksum.
  mutating func bytes(of changes: StoreChangeSet) throws -> [UInt8] {
    writer.bytes = [PreparedChanges.version]
    try putLayouts(of: changes)
    try putEach(changes.inserted) { try $0.put($1) }
    try putEach(changes.updated) { encoder, update in
      try encoder.put(update.row)
      encoder.writer.put(signed: update.baseVersion)
      encoder.writer.put(UInt64(update.changedSlots.count))
      for slot in update.changedSlots { encoder.writer.put(UInt64(slot)) }
    }
    try putEach(changes.deleted) { $0.put($1) }
    try putEach(changes.locked) { $0.put($1) }
    try putLinks(changes.links)
    try putOptional(changes.metadata) { encoder, metadata in
      encoder.writer.put([UInt8](try metadata.json()))
      try encoder.putOptional(changes.earlierMetadata) { encoder, earlier in
        encoder.writer.put([UInt8](try earlier.json()))
      }
    }
    writer.put(optional: changes.origin.author)
    writer.put(optional: changes.origin.contextName)
    try putOptional(changes.notes) { try $0.put($1) }
    try checkCount()
    return writer.bytes + HistoryPacking.checksum(of: writer.bytes)
  }

  // MARK: - Layouts and rows

  /// Writes the layouts of all rows by entity code: the name and the kind of each slot.
  private mutating func putLayouts(of changes: StoreChangeSet) throws {
    var layouts: [Int: RowLayout] = [:]
    var last = 0
    for row in [changes.inserted, changes.notes?.lastRows ?? []].joined() {
      let code = RecordKey.entityCode(of: row.key)
      if code != last { layouts[code] = row.layout }
      last = code
    }
    for update in changes.updated {
      layouts[RecordKey.entityCode(of: update.row.key)] = update.row.layout
    }
    try putEach(layouts.sorted { $0.key < $1.key }) { encoder, entry in
      let (code, layout) = entry
      guard encoder.schema.layout(ofKey: RecordKey.make(sequence: 1, entityCode: code)) === layout
      else {
        throw PersistenceError(
          .unknownEntity, "A record is of an entity that the store does not hold.",
          entityName: layout.entity.name, store: encoder.schema.identity.identifier)
      }
      encoder.writer.put(UInt64(code))
      encoder.writer.put(UInt64(layout.slots.count))
      for (name, slot) in zip(layout.names, layout.slots) {
        encoder.writer.put(name)
        encoder.writer.bytes.append(slot.kind.rawValue)
      }
    }
  }

  /// Writes the key, the version and the stored values.
  private mutating func put(_ row: Row) throws {
    writer.put(signed: row.key)
    writer.put(signed: row.version)
    for slot in row.layout.storedSlots { try writer.put(row.value(at: slot)) }
    try checkCount()
  }

  private mutating func put(_ record: RowVersion) {
    writer.put(signed: record.key)
    writer.put(signed: record.version)
  }

  // MARK: - Links

  /// Writes the names of the tables, and then the links with their table indices.
  private mutating func putLinks(_ links: [LinkChange]) throws {
    var numbers: [LinkTable: Int] = [:]
    var tables: [LinkTable] = []
    for link in links where numbers[link.table] == nil {
      numbers[link.table] = tables.count
      tables.append(link.table)
    }
    writer.put(texts: tables.map(\.name))
    try putEach(links) { encoder, link in
      encoder.writer.put(UInt64(numbers[link.table] ?? 0))
      encoder.writer.put(signed: link.source)
      encoder.writer.put(signed: link.destination)
      switch link.kind {
      case .unlink: encoder.writer.bytes.append(0)
      case .link(let position, let inversePosition):
        encoder.writer.bytes.append(1)
        try encoder.putOptional(position) { $0.writer.put(signed: $1) }
        try encoder.putOptional(inversePosition) { $0.writer.put(signed: $1) }
      }
    }
  }

  // MARK: - What the history is to say

  private mutating func put(_ notes: HistoryNotes) throws {
    writer.put(notes.time.bitPattern)
    try putEach(notes.relationships.sorted { $0.key < $1.key }) { encoder, entry in
      encoder.writer.put(signed: entry.key)
      encoder.writer.put(texts: entry.value)
    }
    try putEach(notes.lastRows) { try $0.put($1) }
    try putEach(notes.reverted) { $0.writer.put(signed: $1) }
    writer.put(notes.writer)
    try putOptional(notes.save) { $0.writer.put($1) }
    try putOptional(notes.undoGroup) { $0.writer.put($1) }
  }

  // MARK: - Lists

  private mutating func putEach<Elements: Collection>(
    _ elements: Elements, _ put: (inout ChangeSetEncoder, Elements.Element) throws -> Void
  ) throws {
    writer.put(UInt64(elements.count))
    for element in elements { try put(&self, element) }
  }

  private mutating func putOptional<Wrapped>(
    _ value: Wrapped?, _ put: (inout ChangeSetEncoder, Wrapped) throws -> Void
  ) throws {
    writer.bytes.append(value == nil ? 0 : 1)
    if let value { try put(&self, value) }
  }

  private func checkCount() throws {
    guard writer.bytes.count <= largestCount else {
      throw PersistenceError(
        .limitExceeded,
        "A save over several stores may write \(largestCount) bytes to each of them: save in several steps.",
        store: schema.identity.identifier)
    }
  }
}
