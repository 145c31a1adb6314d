// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery
import RoostStore

/// Copies everything from one store into an empty one of any kind: records, relationships, orders, links (B238).
///
/// Records keep their numbers; only the codes of the entities can differ from store to store. So keys are translated
/// without a table, and the memory that a copy takes does not grow with the rows: one list of keys at a time, and a
/// batch.
struct StoreCopy {
  let source: AttachedStore
  let destination: AttachedStore
  /// How many records are written at once.
  var batchSize = 2000

  /// Copies everything.
  func run() throws {
    let translation = try makeTranslation()
    for entity in concreteEntities {
      for batch in try batches(ofKeysOf: entity) {
        let rows = try source.storedRows(forKeys: batch)
        try write(StoreChangeSet(inserted: rows.map { translation.translate($0) }))
      }
    }
    for table in source.schema.linkTables { try copyLinks(of: table, translation) }
    var metadata = destination.store.metadata
    metadata.userValues = (source.pendingMetadata ?? source.store.metadata).userValues
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

  private func batches(ofKeysOf entity: EntityDescription) throws -> [[Int64]] {
    let keys = try keys(of: entity)
    return stride(from: 0, to: keys.count, by: batchSize).map { start in
      Array(keys[start..<min(keys.count, start + batchSize)])
    }
  }

  /// Reserves the numbers of all records in the destination, and learns the codes.
  private func makeTranslation() throws -> KeyTranslation {
    var largest: Int64 = 0
    var codes = [Int64](repeating: 0, count: RecordKey.largestEntityCode + 1)
    for entity in concreteEntities {
      guard let from = source.schema.code(of: entity), let to = destination.schema.code(of: entity)
      else { continue }
      codes[from] = Int64(to)
      for key in try keys(of: entity) { largest = max(largest, RecordKey.sequence(of: key)) }
    }
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

  // MARK: Links

  private func copyLinks(of table: LinkTable, _ translation: KeyTranslation) throws {
    try copyLinks(of: table, along: table.relationship, isForward: true, translation)
    // The order of the other side is written in a second pass; the first one has made the links.
    if let inverse = table.inverse, inverse.isOrdered, !table.isSymmetric {
      try copyLinks(of: table, along: inverse, isForward: false, translation)
    }
  }

  private func copyLinks(
    of table: LinkTable, along relationship: RelationshipDescription, isForward: Bool,
    _ translation: KeyTranslation
  ) throws {
    for entity in concreteEntities where entity.has(relationship) {
      for batch in try batches(ofKeysOf: entity) {
        let found = try source.destinations(of: relationship, forSources: batch)
        var changes = StoreChangeSet()
        for (index, key) in batch.enumerated() {
          for place in found.offsets[index]..<found.offsets[index + 1] {
            let position = found.positions.isEmpty ? nil : found.positions[place]
            let (here, there) = (
              translation.translate(key), translation.translate(found.keys[place])
            )
            changes.links.append(
              LinkChange(
                table: table, source: isForward ? here : there,
                destination: isForward ? there : here,
                kind: isForward
                  ? .link(position: position, inversePosition: nil)
                  : .link(position: nil, inversePosition: position)))
          }
        }
        try write(changes)
      }
    }
  }
}

/// How a key of one store is written in another: the same number, moved by an offset, under another entity code.
struct KeyTranslation {
  /// The new code for each old one.
  let codes: [Int64]
  let offset: Int64

  func translate(_ key: Int64) -> Int64 {
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
