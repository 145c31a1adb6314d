// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostQuery
import RoostStore

/// Copies everything from one store into an empty one of any kind: records, relationships, orders, links (B238).
///
/// Records keep their numbers; only the codes of the entities can differ from store to store. So keys are translated
/// without a table, and the memory that a copy takes does not grow with the rows: one list of keys at a time, and a
/// batch, which is the smaller the larger the records before it were.
struct StoreCopy {
  let source: AttachedStore
  let destination: AttachedStore
  /// What is told of the copy, and can cancel it.
  var progress: Progress?
  /// The largest number of records, or of sources of links, that are read at once.
  var largestBatch = 2000
  /// The number of bytes that a batch should have at the most.
  var batchBytes = 4 << 20
  /// The largest number of links that are written at once.
  var largestLinkBatch = 20_000

  /// How many moves a store remembers.
  private static let mostPredecessors = 16

  /// Copies everything but the metadata.
  ///
  /// - Returns: How the keys of the source are written in the destination.
  /// - Throws: `userCancelled` when the progress is cancelled, or what the stores throw.
  @discardableResult func run() throws -> KeyTranslation {
    var translation = try makeTranslation()
    translation.foreign = try copyForeignReferences()
    for entity in concreteEntities { try copyRecords(of: entity, translation) }
    for table in source.schema.linkTables { try copyLinks(of: table, translation) }
    return translation
  }

  /// Writes what the program has added to the metadata, where the records come from, and that the copy is complete.
  func finish(userValues: [String: MetadataValue], _ translation: KeyTranslation) throws {
    var metadata = destination.store.metadata
    metadata.userValues = userValues
    let move = translation.succession(of: source.identity.identifier)
    let earlier = (source.store.metadata.predecessors ?? []).map { $0.followed(by: move) }
    metadata.predecessors = Array((earlier + [move]).suffix(Self.mostPredecessors))
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

  private func copyRecords(of entity: EntityDescription, _ translation: KeyTranslation) throws {
    var batches = CopyBatches(
      keys: try keys(of: entity), largest: largestBatch, weightLimit: batchBytes)
    while let batch = batches.next() {
      let rows = try source.storedRows(forKeys: Array(batch))
      batches.weigh(rows.reduce(0) { $0 + $1.weight })
      try write(StoreChangeSet(inserted: rows.map { translation.translate($0) }))
      try note(batch.count)
    }
  }

  /// Lets the destination refer to the records of other stores that the source refers to.
  ///
  /// - Returns: The numbers of the destination by those of the source.
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

  /// Reserves the numbers of all records in the destination, learns the codes, and how much there is to do.
  private func makeTranslation() throws -> KeyTranslation {
    var largest: Int64 = 0
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
    guard largest > 0 else { return KeyTranslation(codes: codes, offset: 0) }
    guard let count = Int(exactly: largest) else {
      throw PersistenceError(.limitExceeded, "The store's numbers are too large to be copied.")
    }
    let reserved = try destination.requesting { try $0.reserveSequences(count) }
    return KeyTranslation(codes: codes, offset: reserved.lowerBound - 1)
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
  /// The ways on which a table of links is read: once for its links, and once more for the order of the other side.
  private func ways(of table: LinkTable) -> [(relationship: RelationshipDescription, Bool)] {
    var ways = [(relationship: table.relationship, true)]
    // The order of the other side is written in a second pass; the first one has made the links.
    if let inverse = table.inverse, inverse.isOrdered, !table.isSymmetric {
      ways.append((inverse, false))
    }
    return ways
  }

  /// How often the records of an entity are read as sources of links.
  private func passes(over entity: EntityDescription) -> Int {
    source.schema.linkTables.flatMap { ways(of: $0) }.count { entity.has($0.relationship) }
  }

  private func copyLinks(of table: LinkTable, _ translation: KeyTranslation) throws {
    for (relationship, isForward) in ways(of: table) {
      for entity in concreteEntities where entity.has(relationship) {
        var batches = CopyBatches(
          keys: try keys(of: entity), largest: largestBatch, weightLimit: largestLinkBatch)
        while let batch = batches.next() {
          let found = try source.destinations(of: relationship, forSources: Array(batch))
          batches.weigh(found.keys.count)
          try write(found, from: batch, of: table, isForward: isForward, translation)
          try note(batch.count)
        }
      }
    }
  }

  private func write(
    _ found: RelationshipDestinations, from sources: ArraySlice<Int64>, of table: LinkTable,
    isForward: Bool, _ translation: KeyTranslation
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

/// Cuts a list of keys into batches: the first ones small, later ones as large as what the ones before weighed allows.
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

  /// The next batch; nil when there is none.
  mutating func next() -> ArraySlice<Int64>? {
    guard start < keys.count else { return nil }
    let batch = keys[start..<min(keys.count, start + size)]
    start = batch.endIndex
    lastCount = batch.count
    return batch
  }

  /// Learns how much the last batch weighed. What follows is taken to be alike, but a batch grows fourfold at the most.
  mutating func weigh(_ weight: Int) {
    let fitting = weight > 0 ? weightLimit / max(1, weight / max(1, lastCount)) : largest
    size = max(1, min(fitting, largest, size * 4))
  }
}

/// How a key of one store is written in another: the same number, moved by an offset, under another entity code.
struct KeyTranslation {
  /// The new code for each old one.
  let codes: [Int64]
  let offset: Int64
  /// How the records of other stores are numbered there.
  var foreign: [Int64: Int64] = [:]

  /// What a store keeps of it.
  ///
  /// - Parameter identifier: The UUID of the other store.
  func succession(of identifier: String) -> StoreSuccession {
    var known: [Int: Int] = [:]
    for (old, new) in codes.enumerated() where new != 0 { known[old] = Int(new) }
    return StoreSuccession(identifier: identifier, codes: known, offset: offset)
  }

  func translate(_ key: Int64) -> Int64 {
    if ForeignNumber.isForeign(key) { return foreign[-key].map { -$0 } ?? key }
    let sequence = RecordKey.sequence(of: key) + offset
    return RecordKey.make(sequence: sequence, entityCode: Int(codes[RecordKey.entityCode(of: key)]))
  }

  /// A copy of a row with translated keys, in its first version.
  func translate(_ row: Row) -> Row {
    let copy = row.copy(key: translate(row.key), version: 1)
    for slot in row.layout.slots where slot.kind == .reference {
      if let key = row.reference(slot) { copy.setInteger(translate(key), at: slot) }
    }
    return copy
  }
}

extension Row {
  /// About how many bytes the row takes.
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
