// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery
import RoostStore

/// Copies all records, relationships, orders and links from one store into an empty one of any kind (B238).
///
/// Records keep their sequence numbers up to an offset; only the entity codes can differ between stores. So keys are
/// translated without a table, and memory use does not grow with the rows: one list of keys at a time, and one batch,
/// whose size adapts to that of the previous records.
struct StoreCopy {
  let source: AttachedStore
  let destination: AttachedStore
  /// Reports the progress of the copy, and can cancel it.
  var progress: Progress?
  /// The maximum number of records, or of sources of links, in one read.
  var largestBatch = 2000
  /// The target maximum size of a batch, in bytes.
  var batchBytes = 4 << 20
  /// The maximum number of links in one write.
  var largestLinkBatch = 20_000

  /// The maximum number of moves that a store remembers.
  private static let mostPredecessors = 16

  /// Copies everything but the metadata.
  ///
  /// - Returns: The translation of keys from the source to the destination.
  /// - Throws: `userCancelled` when the progress is cancelled, or the error of a store.
  @discardableResult func run() throws -> KeyTranslation {
    var translation = try makeTranslation()
    translation.foreign = try copyForeignReferences()
    for entity in concreteEntities { try copyRecords(of: entity, &translation) }
    for table in source.schema.linkTables { try copyLinks(of: table, &translation) }
    try reserve(upTo: translation.largest, after: translation.reserved, translation.offset)
    return translation
  }

  /// Writes the program's metadata values and the origin of the records, and marks the copy as complete.
  func finish(userValues: [String: MetadataValue], _ translation: KeyTranslation) throws {
    var metadata = destination.store.metadata
    metadata.userValues = userValues
    let move = translation.succession(of: source.identity.identifier)
    let earlier = (source.store.metadata.predecessors ?? []).map { $0.followed(by: move) }
    metadata.predecessors = Array((earlier + [move]).suffix(Self.mostPredecessors))
    metadata.endedSaves = source.store.metadata.endedSaves
    metadata.isUnfinishedCopy = false
    try write(StoreChangeSet(metadata: metadata))
  }

  private var concreteEntities: [EntityDescription] {
    source.schema.entities.filter { !$0.isAbstract }
  }

  private func keys(of entity: EntityDescription) throws -> [Int64] {
    let fetch = ResolvedFetch(entity: entity, entities: [entity], result: .keys)
    guard case .keys(let keys) = try StoreFetch(store: source, fillsRowCache: false).run(fetch)
    else { return [] }
    return keys
  }

  private func copyRecords(
    of entity: EntityDescription, _ translation: inout KeyTranslation
  ) throws {
    var batches = CopyBatches(
      keys: try keys(of: entity), largest: largestBatch, weightLimit: batchBytes)
    while let batch = batches.next() {
      let rows = try source.storedRows(forKeys: Array(batch))
      batches.weigh(rows.reduce(0) { $0 + $1.weight })
      try write(StoreChangeSet(inserted: rows.map { translation.translate($0) }))
      try note(batch.count)
    }
  }

  /// Copies the foreign references of the source.
  ///
  /// - Returns: The destination's foreign numbers by those of the source.
  private func copyForeignReferences() throws -> [Int64: Int64] {
    var found: [(number: Int64, reference: ForeignReference)] = []
    try source.forEachForeignReference(in: 1...ForeignNumber.largest) { found.append(($0, $1)) }
    var numbers: [Int64: Int64] = [:]
    for start in stride(from: 0, to: found.count, by: largestBatch) {
      let batch = found[start..<min(start + largestBatch, found.count)]
      let own = try destination.internForeign(batch.map(\.reference))
      for (pair, number) in zip(batch, own) { numbers[pair.number] = number }
    }
    return numbers
  }

  /// Reserves all numbers that the source has given, those of deleted records too, in the destination; maps the entity
  /// codes, and determines the total amount of work.
  private func makeTranslation() throws -> KeyTranslation {
    var largest = try source.requesting { try $0.lastSequence() }
    var units = 0
    var codes = [Int64](repeating: 0, count: RecordKey.largestEntityCode + 1)
    for entity in concreteEntities {
      guard let from = source.schema.code(of: entity), let to = destination.schema.code(of: entity)
      else { continue }
      codes[from] = Int64(to)
      let keys = try keys(of: entity)
      for key in keys { largest = max(largest, RecordKey.sequence(of: key)) }
      units += keys.count * (1 + passes(over: entity))
    }
    progress?.totalUnitCount = Int64(max(units, 1))
    try note(units == 0 ? 1 : 0)
    guard largest > 0 else { return KeyTranslation(codes: codes, offset: 0, reserved: 0) }
    let reserved = try reserve(largest)
    return KeyTranslation(codes: codes, offset: reserved.lowerBound - 1, reserved: largest)
  }

  private func reserve(_ count: Int64) throws -> ClosedRange<Int64> {
    guard let count = Int(exactly: count) else {
      throw PersistenceError(.limitExceeded, "The store's numbers are too large to be copied.")
    }
    return try destination.requesting { try $0.reserveSequences(count) }
  }

  /// Reserves the numbers of deleted records that only references and links still name. A store that tells the last
  /// number that it gave has none beyond it.
  private func reserve(upTo largest: Int64, after reserved: Int64, _ offset: Int64) throws {
    var last = reserved + offset
    while last < largest + offset { last = try reserve(largest + offset - last).upperBound }
  }

  private func write(_ changes: StoreChangeSet) throws {
    guard !changes.isEmpty else { return }
    let outcome = try destination.requesting { try $0.commit(changes) }
    guard case .committed = outcome else {
      throw PersistenceError(
        .persistentStoreSave, "The new store refuses records of the old one.",
        store: destination.displayName)
    }
  }

  private func note(_ units: Int) throws {
    guard let progress else { return }
    progress.completedUnitCount += Int64(units)
    guard !progress.isCancelled else {
      throw PersistenceError(
        .userCancelled, "The copy of the store was cancelled.", store: source.displayName)
    }
  }
}

// MARK: - Links

extension StoreCopy {
  /// Returns the directions in which a link table is read: once for its links, and once more for the order of the
  /// inverse.
  private func ways(of table: LinkTable) -> [(relationship: RelationshipDescription, Bool)] {
    var ways = [(relationship: table.relationship, true)]
    // The order of the inverse is written in a second pass, after the first one has created the links.
    if let inverse = table.inverse, inverse.isOrdered, !table.isSymmetric {
      ways.append((inverse, false))
    }
    return ways
  }

  /// The number of times that the records of an entity are read as sources of links.
  private func passes(over entity: EntityDescription) -> Int {
    source.schema.linkTables.flatMap { ways(of: $0) }.count { entity.has($0.relationship) }
  }

  private func copyLinks(of table: LinkTable, _ translation: inout KeyTranslation) throws {
    for (relationship, isForward) in ways(of: table) {
      for entity in concreteEntities where entity.has(relationship) {
        var batches = CopyBatches(
          keys: try keys(of: entity), largest: largestBatch, weightLimit: largestLinkBatch)
        while let batch = batches.next() {
          let found = try source.destinations(of: relationship, forSources: Array(batch))
          batches.weigh(found.keys.count)
          try write(found, from: batch, of: table, isForward: isForward, &translation)
          try note(batch.count)
        }
      }
    }
  }

  private func write(
    _ found: RelationshipDestinations, from sources: ArraySlice<Int64>, of table: LinkTable,
    isForward: Bool, _ translation: inout KeyTranslation
  ) throws {
    var changes = StoreChangeSet()
    for (index, key) in sources.enumerated() {
      for place in found.offsets[index]..<found.offsets[index + 1] {
        let position = found.positions.isEmpty ? nil : found.positions[place]
        let (here, there) = (translation.translate(key), translation.translate(found.keys[place]))
        changes.links.append(
          LinkChange(
            table: table, source: isForward ? here : there, destination: isForward ? there : here,
            kind: isForward
              ? .link(position: position, inversePosition: nil)
              : .link(position: nil, inversePosition: position)))
        guard changes.links.count == largestLinkBatch else { continue }
        try write(changes)
        changes.links.removeAll(keepingCapacity: true)
      }
    }
    try write(changes)
  }
}

/// Divides a list of keys into batches: small ones first, then as large as the weight of the previous ones allows.
struct CopyBatches {
  private let keys: [Int64]
  private let largest: Int
  private let weightLimit: Int
  private var start = 0
  private var size: Int
  private var lastCount = 0

  init(keys: [Int64], largest: Int, weightLimit: Int) {
    self.keys = keys
    self.largest = largest
    self.weightLimit = weightLimit
    size = min(largest, 64)
  }

  /// Returns the next batch; nil at the end.
  mutating func next() -> ArraySlice<Int64>? {
    guard start < keys.count else { return nil }
    let batch = keys[start..<min(keys.count, start + size)]
    start = batch.endIndex
    lastCount = batch.count
    return batch
  }

  /// Adapts the batch size to the weight of the last batch. A batch grows fourfold at most.
  mutating func weigh(_ weight: Int) {
    let fitting = weight > 0 ? weightLimit / max(1, weight / max(1, lastCount)) : largest
    size = max(1, min(fitting, largest, size * 4))
  }
}

/// Translates keys of one store into those of another: the sequence number is shifted by an offset, and the entity
/// code replaced.
struct KeyTranslation {
  /// The new code for each old one.
  let codes: [Int64]
  let offset: Int64
  /// The number up to which the source's numbers are reserved in the destination.
  let reserved: Int64
  /// The largest number that was translated.
  private(set) var largest: Int64 = 0
  /// The destination's foreign numbers by those of the source.
  var foreign: [Int64: Int64] = [:]

  /// Whether every record has its key in both stores.
  var isIdentity: Bool {
    offset == 0 && codes.enumerated().allSatisfy { $1 == 0 || $1 == Int64($0) }
  }

  /// Returns the record of the move for the metadata of a store.
  ///
  /// - Parameter identifier: The UUID of the other store.
  func succession(of identifier: String) -> StoreSuccession {
    var known: [Int: Int] = [:]
    for (old, new) in codes.enumerated() where new != 0 { known[old] = Int(new) }
    return StoreSuccession(
      identifier: identifier, codes: known, offset: offset, largest: max(reserved, largest))
  }

  mutating func translate(_ key: Int64) -> Int64 {
    if ForeignNumber.isForeign(key) { return foreign[-key].map { -$0 } ?? key }
    let sequence = RecordKey.sequence(of: key)
    largest = max(largest, sequence)
    return RecordKey.make(
      sequence: sequence + offset, entityCode: Int(codes[RecordKey.entityCode(of: key)]))
  }

  /// Returns a copy of a row with translated keys, in its first version.
  mutating func translate(_ row: Row) -> Row {
    let copy = row.copy(key: translate(row.key), version: 1)
    for slot in row.layout.slots where slot.kind == .reference {
      if let key = row.reference(slot) { copy.setInteger(translate(key), at: slot) }
    }
    return copy
  }
}

extension Row {
  /// The approximate size of the row, in bytes.
  fileprivate var weight: Int {
    var weight = 16
    for slot in layout.slots where !isNull(slot) {
      switch slot.kind {
      case .string: weight += 16 + string(slot).utf8.count
      case .data: weight += 16 + data(slot).count
      case .transformable: weight += 16 + (transformable(slot)?.encoded?.count ?? 0)
      case .decimal, .uri: weight += 40
      default: weight += 16
      }
    }
    return weight
  }
}
