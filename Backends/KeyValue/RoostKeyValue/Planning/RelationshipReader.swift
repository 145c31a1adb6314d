// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// Follows to-many relationships inside a snapshot.
struct RelationshipReader {
  let schema: KeyValueSchema
  let snapshot: any KeyValueSnapshot

  /// Returns the destinations for many sources.
  func destinations(
    of relationship: RelationshipDescription, forSources sources: [Int64]
  ) throws -> RelationshipDestinations {
    var result = RelationshipDestinations(offsets: [0], keys: [])
    result.offsets.reserveCapacity(sources.count + 1)
    switch relationship.storage {
    case .inverseOfToOne(let slot, let position):
      guard let entity = relationship.destinationEntity,
        let index = schema.inverseIndex(of: slot, in: entity)
      else { return try scannedDestinations(of: relationship, slot, position, sources) }
      for source in sources {
        try append(to: &result, from: index, source: source, isOrdered: position != nil)
        result.offsets.append(result.keys.count)
      }
    case .links(let table, let isForward):
      for source in sources {
        try append(to: &result, from: table, isForward: isForward, source: source)
        result.offsets.append(result.keys.count)
      }
    case .toOne, .transient:
      preconditionFailure("only a stored to-many relationship has destinations to ask for")
    }
    return result
  }

  // MARK: - Inverses of to-one relationships

  /// The entries of one destination, as the index has them: in their order, or by key.
  static func range(of source: Int64) -> KeyRange {
    var bytes: [UInt8] = []
    KeyEncoding.appendInteger(source, to: &bytes)
    return KeyRange(prefix: bytes)
  }

  private func append(
    to result: inout RelationshipDestinations, from index: IndexDefinition, source: Int64,
    isOrdered: Bool
  ) throws {
    let range = RelationshipReader.range(of: source)
    guard isOrdered else {
      return try snapshot.scanKeys(of: index.table, in: range, descending: false) { keys in
        result.keys.append(contentsOf: keys)
        return true
      }
    }
    try snapshot.scanEntries(of: index.table, in: range, descending: false) { chunk in
      for position in 0..<chunk.count {
        let entry = chunk[position]
        result.keys.append(entry.recordKey)
        let bytes = entry.key.dropFirst(range.lower.count).dropLast(KeyEncoding.recordKeyCount)
        // A record that never got a position, as before the relationship was ordered, comes first.
        let isMissing = bytes.first == KeyEncoding.null
        result.positions.append(isMissing ? 0 : try KeyEncoding.integer(in: bytes))
      }
      return true
    }
  }

  /// Returns the destinations by a scan, without an index: for a read-only store that is older than the model.
  private func scannedDestinations(
    of relationship: RelationshipDescription, _ slot: RowSlot, _ position: RowSlot?,
    _ sources: [Int64]
  ) throws -> RelationshipDestinations {
    var members: [Int64: [(position: Int64, key: Int64)]] = [:]
    for source in sources { members[source] = [] }
    for entity in relationship.destinationEntity?.concreteEntities ?? [] {
      guard let code = schema.schema.code(of: entity) else { continue }
      let slots = Set([slot, position].compactMap { $0?.index })
      try snapshot.scanRecords(
        ofEntityCode: code, need: RowNeed(judged: .some(slots), kept: .none)
      ) { chunk in
        for index in 0..<chunk.count {
          chunk.withRow(index) { row in
            guard let source = row.reference(slot) else { return }
            members[source]?.append((position.map { row.integer($0) } ?? 0, row.key))
          }
        }
        return true
      }
    }
    var result = RelationshipDestinations(offsets: [0], keys: [])
    for source in sources {
      let ordered = (members[source] ?? []).sorted { $0 < $1 }
      result.keys += ordered.map(\.key)
      if position != nil { result.positions += ordered.map(\.position) }
      result.offsets.append(result.keys.count)
    }
    return result
  }

  // MARK: - Links

  private func append(
    to result: inout RelationshipDestinations, from table: LinkTable, isForward: Bool,
    source: Int64
  ) throws {
    guard let tables = schema.links[ObjectIdentifier(table)] else { return }
    let entries = isForward ? tables.forward : tables.backward
    let range = LinkKey.range(of: source)
    guard isForward ? table.sourceIsOrdered : table.destinationIsOrdered else {
      return try snapshot.scanKeys(of: entries, in: range, descending: false) { keys in
        result.keys.append(contentsOf: keys)
        return true
      }
    }
    var members: [(position: Int64?, key: Int64)] = []
    try snapshot.scanEntries(of: entries, in: range, descending: false) { chunk in
      for index in 0..<chunk.count {
        let positions = try LinkPositions(chunk[index].value)
        members.append(
          (isForward ? positions.position : positions.inversePosition, chunk[index].recordKey))
      }
      return true
    }
    members.sort { left, right in
      let (first, second) = (left.position ?? .min, right.position ?? .min)
      return first == second ? left.key < right.key : first < second
    }
    result.keys += members.map(\.key)
    result.positions += members.map { $0.position ?? 0 }
  }
}
