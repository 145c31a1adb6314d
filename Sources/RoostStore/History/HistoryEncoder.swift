// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// Encodes a change set as the content of a history transaction.
///
/// Records are grouped by entity and kind of change, updates also by the set of changed properties.
struct HistoryEncoder {
  private let changes: StoreChangeSet
  private let schema: StoreSchema
  /// The state before the change set, where the history keeps previous values.
  private let previous: PreviousState?
  /// The distinct sets of changed properties.
  private var masks: [Mask] = []
  /// The updates, each with the index of its mask.
  private var updates: [(key: Int64, mask: Int)] = []

  private struct Mask: Hashable {
    var code: Int
    var properties: [String]
    /// The slots whose previous values are kept.
    var slots: [Int] = []
  }

  init(_ changes: StoreChangeSet, _ schema: StoreSchema) {
    self.changes = changes
    self.schema = schema
    // A save that only restores deleted records has no previous state of its own.
    let takesBack = !(changes.notes?.reverted.isEmpty ?? true)
    previous = changes.notes?.previous ?? (takesBack ? PreviousState() : nil)
    collectUpdates()
  }

  /// Whether no record changes.
  var isEmpty: Bool {
    changes.inserted.isEmpty && changes.deleted.isEmpty && updates.isEmpty
      && changes.notes?.batch?.deleted.isEmpty ?? true
  }

  /// The number of changes.
  var count: Int {
    changes.inserted.count + updates.count + changes.deleted.count
      + (changes.notes?.batch?.deleted.count ?? 0)
  }

  // MARK: - Updates

  private mutating func collectUpdates() {
    var related = relatedProperties()
    var places: [Mask: Int] = [:]
    var last: (code: Int, slots: [Int], place: Int)?
    func place(_ mask: Mask, in masks: inout [Mask]) -> Int {
      if let known = places[mask] { return known }
      places[mask] = masks.count
      masks.append(mask)
      return masks.count - 1
    }
    updates.reserveCapacity(changes.updated.count + changes.locked.count + related.count)
    for update in changes.updated {
      let key = update.row.key
      let code = RecordKey.entityCode(of: key)
      if related.isEmpty, let last, last.code == code, last.slots == update.changedSlots {
        updates.append((key, last.place))
        continue
      }
      var names = update.row.layout.propertyNames(ofSlots: update.changedSlots)
      let others = related.removeValue(forKey: key)
      names.formUnion(others ?? [])
      var mask = Mask(code: code, properties: names.sorted())
      if previous != nil {
        mask.slots = HistoryValues.slots(of: update.changedSlots, in: update.row.layout)
      }
      let found = place(mask, in: &masks)
      updates.append((key, found))
      if others == nil { last = (code, update.changedSlots, found) }
    }
    for record in changes.locked {
      let names = related.removeValue(forKey: record.key) ?? []
      let mask = Mask(
        code: RecordKey.entityCode(of: record.key), properties: names.sorted())
      updates.append((record.key, place(mask, in: &masks)))
    }
    for batch in changes.notes?.batch?.updates ?? [] {
      guard let layout = batch.keys.first.flatMap({ schema.entity(ofKey: $0) })?.layout else {
        continue
      }
      let names = layout.propertyNames(ofSlots: batch.slots).sorted()
      let found = place(Mask(code: batch.code, properties: names), in: &masks)
      for key in batch.keys { updates.append((key, found)) }
    }
    guard !related.isEmpty else { return }
    let written = Set(changes.inserted.map(\.key) + changes.deleted.map(\.key))
    for (key, names) in related where !written.contains(key) {
      let mask = Mask(code: RecordKey.entityCode(of: key), properties: names.sorted())
      updates.append((key, place(mask, in: &masks)))
    }
  }

  /// Returns the relationships whose destinations changed without a change of the row.
  private func relatedProperties() -> [Int64: Set<String>] {
    var result: [Int64: Set<String>] = [:]
    for link in changes.links {
      let relationship = link.table.relationship
      result[link.source, default: []].insert(relationship.name)
      if let inverse = relationship.maintainedInverse {
        result[link.destination, default: []].insert(inverse.name)
      }
    }
    for (key, names) in changes.notes?.relationships ?? [:] {
      result[key, default: []].formUnion(names)
    }
    return result
  }

  // MARK: - Writing

  func write(to writer: inout HistoryWriter) throws {
    let inserted = Self.ordered(changes.inserted.map(\.key))
    let deleted = Self.ordered(
      changes.deleted.map(\.key) + (changes.notes?.batch?.deleted ?? []))
    var groups = HistoryWriter()
    var count = 0
    for keys in Self.byCode(inserted) {
      Self.begin(.insert, keys, &groups)
      count += 1
    }
    var keysByMask = [[Int64]](repeating: [], count: masks.count)
    for (key, mask) in updates { keysByMask[mask].append(key) }
    for (mask, keys) in zip(masks, keysByMask) {
      let keys = Self.ordered(keys)
      Self.begin(.update, keys[...], &groups)
      groups.put(UInt64(mask.properties.count))
      for name in mask.properties { groups.put(name) }
      if let previous { try groups.put(previous, of: keys, slots: mask.slots, schema) }
      count += 1
    }
    let lastRows = Dictionary(
      (changes.notes?.lastRows ?? []).map { ($0.key, $0) }, uniquingKeysWith: { $1 })
    for keys in Self.byCode(deleted) {
      Self.begin(.delete, keys, &groups)
      try writeTombstones(keys, lastRows, &groups)
      if let previous { try groups.put(last: previous, of: keys, schema) }
      count += 1
    }
    writer.put(UInt64(count))
    writer.bytes += groups.bytes
    if let previous { writer.put(links: previous.links, schema) }
  }

  private func writeTombstones(
    _ keys: ArraySlice<Int64>, _ rows: [Int64: Row], _ writer: inout HistoryWriter
  ) throws {
    let attributes = keys.first.flatMap { schema.entity(ofKey: $0) }?.attributesKeptInHistory ?? []
    writer.put(UInt64(attributes.count))
    guard !attributes.isEmpty else { return }
    for attribute in attributes { writer.put(attribute.name) }
    for key in keys {
      for attribute in attributes {
        try writer.put(rows[key].map { $0.value(of: attribute) } ?? .null)
      }
    }
  }

  /// Writes the kind, the entity and the keys of a group: for each run of consecutive keys, the distance from the
  /// previous run and the length.
  private static func begin(
    _ kind: StoreRecordChange.Kind, _ keys: ArraySlice<Int64>, _ writer: inout HistoryWriter
  ) {
    writer.bytes.append(kind.rawValue)
    writer.put(UInt64(keys.first.map { RecordKey.entityCode(of: $0) } ?? 0))
    var runs = HistoryWriter()
    var count: UInt64 = 0
    var expected: Int64 = 0
    var index = keys.startIndex
    while index < keys.endIndex {
      let first = RecordKey.sequence(of: keys[index])
      var next = index + 1
      while next < keys.endIndex, RecordKey.sequence(of: keys[next]) == first + Int64(next - index)
      {
        next += 1
      }
      runs.put(signed: first - expected)
      runs.put(UInt64(next - index))
      expected = first + Int64(next - index)
      count += 1
      index = next
    }
    writer.put(count)
    writer.bytes += runs.bytes
  }

  /// Returns the keys sorted by entity code and then by number.
  private static func ordered(_ keys: [Int64]) -> [Int64] {
    func precedes(_ left: Int64, _ right: Int64) -> Bool {
      let (one, other) = (RecordKey.entityCode(of: left), RecordKey.entityCode(of: right))
      return one != other ? one < other : left < right
    }
    let isOrdered = zip(keys, keys.dropFirst()).allSatisfy { precedes($0, $1) }
    return isOrdered ? keys : keys.sorted(by: precedes)
  }

  private static func byCode(_ keys: [Int64]) -> [ArraySlice<Int64>] {
    var result: [ArraySlice<Int64>] = []
    var start = 0
    while start < keys.count {
      let code = RecordKey.entityCode(of: keys[start])
      let end = keys[start...].firstIndex { RecordKey.entityCode(of: $0) != code } ?? keys.count
      result.append(keys[start..<end])
      start = end
    }
    return result
  }
}

extension EntityDescription {
  /// The attributes whose values a tombstone keeps.
  package var attributesKeptInHistory: [AttributeDescription] {
    attributesInOrder.filter { $0.preservesValueInHistoryOnDeletion && $0.isStored }
  }
}

extension Row {
  /// The value of an attribute, which may be a composite.
  fileprivate func value(of attribute: AttributeDescription) -> Value {
    if let composite = attribute as? CompositeAttributeDescription { return value(of: composite) }
    return layout.slot(named: attribute.name).map(value(at:)) ?? .null
  }
}
