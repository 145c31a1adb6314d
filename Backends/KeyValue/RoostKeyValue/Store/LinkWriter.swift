// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// Writes changes of links: an entry in the forward table, `source destination`, and one in the backward table,
/// `destination source`. Where a side is ordered both have the positions as their value.
struct LinkWriter {
  private let schema: KeyValueSchema
  private let snapshot: any KeyValueSnapshot
  /// What this save has written so far to ordered tables: a later change of the same link builds on it.
  private var written: [EntryTable: [[UInt8]: LinkPositions?]] = [:]

  /// Adds changes to a batch.
  static func write(
    _ changes: [LinkChange], schema: KeyValueSchema, snapshot: any KeyValueSnapshot,
    to batch: inout WriteBatch
  ) throws {
    var writer = LinkWriter(schema: schema, snapshot: snapshot)
    for change in changes {
      try writer.write(change, to: &batch)
      if change.table.isSymmetric { try writer.write(change.mirrored, to: &batch) }
    }
  }

  private init(schema: KeyValueSchema, snapshot: any KeyValueSnapshot) {
    self.schema = schema
    self.snapshot = snapshot
  }

  private mutating func write(_ change: LinkChange, to batch: inout WriteBatch) throws {
    guard let tables = schema.links[ObjectIdentifier(change.table)] else {
      throw PersistenceError(
        .persistentStoreOperation,
        "The store does not hold the relationship \(change.table.name).",
        store: schema.schema.identity.identifier)
    }
    let isOrdered = change.table.sourceIsOrdered || change.table.destinationIsOrdered
    var kind = EntryBatch.Kind.remove
    var value: [UInt8] = []
    if case .link(let position, let inversePosition) = change.kind {
      kind = .put
      if isOrdered {
        value = try positions(
          of: change, in: tables, position: position, inversePosition: inversePosition
        ).bytes
      }
    } else if isOrdered {
      written[tables.forward, default: [:]][LinkKey.bytes(change.source, change.destination)] =
        .some(nil)
    }
    batch.changeEntries(of: tables.forward) { entries in
      entries.append(kind) { bytes in
        LinkKey.append(change.source, change.destination, to: &bytes)
        return value[...]
      }
    }
    batch.changeEntries(of: tables.backward) { entries in
      entries.append(kind) { bytes in
        LinkKey.append(change.destination, change.source, to: &bytes)
        return value[...]
      }
    }
  }

  /// The positions of a link: those that are given, else those that it has, else after all others of its side.
  private mutating func positions(
    of change: LinkChange, in tables: KeyValueSchema.LinkTables, position: Int64?,
    inversePosition: Int64?
  ) throws -> LinkPositions {
    let key = LinkKey.bytes(change.source, change.destination)
    let stored: LinkPositions?
    if let known = written[tables.forward]?[key] {
      stored = known
    } else {
      stored = try snapshot.value(of: key, in: tables.forward).map { try LinkPositions($0) }
    }
    let positions = LinkPositions(
      position: try position ?? stored?.position
        ?? next(after: change.source, in: tables.forward, \.position),
      inversePosition: try inversePosition ?? stored?.inversePosition
        ?? next(after: change.destination, in: tables.backward, \.inversePosition))
    written[tables.forward, default: [:]][key] = .some(positions)
    return positions
  }

  private func next(
    after key: Int64, in table: EntryTable, _ position: KeyPath<LinkPositions, Int64>
  ) throws -> Int64 {
    var last: Int64 = 0
    try snapshot.scanEntries(
      of: table, in: LinkKey.range(of: key), descending: false
    ) { chunk in
      for index in 0..<chunk.count {
        last = max(last, try LinkPositions(chunk[index].value)[keyPath: position])
      }
      return true
    }
    return last + LinkPositions.gap
  }
}

extension LinkChange {
  /// The same change seen from the other end of a relationship that is its own inverse.
  fileprivate var mirrored: LinkChange {
    var mirrored = LinkChange(table: table, source: destination, destination: source, kind: kind)
    if case .link(let position, let inversePosition) = kind {
      mirrored.kind = .link(position: inversePosition, inversePosition: position)
    }
    return mirrored
  }
}

/// The keys of link entries: two record keys.
enum LinkKey {
  static func append(_ first: Int64, _ second: Int64, to bytes: inout [UInt8]) {
    KeyEncoding.appendRecordKey(first, to: &bytes)
    KeyEncoding.appendRecordKey(second, to: &bytes)
  }

  static func bytes(_ first: Int64, _ second: Int64) -> [UInt8] {
    var bytes: [UInt8] = []
    append(first, second, to: &bytes)
    return bytes
  }

  /// The entries that begin with a key.
  static func range(of first: Int64) -> KeyRange {
    var bytes: [UInt8] = []
    KeyEncoding.appendRecordKey(first, to: &bytes)
    return KeyRange(prefix: bytes)
  }
}

/// Where a link stands among the destinations of its source, and among the sources of its destination.
struct LinkPositions {
  /// What lies between two positions that a store gives itself.
  static let gap: Int64 = 1 << 16

  var position: Int64
  var inversePosition: Int64

  init(position: Int64, inversePosition: Int64) {
    self.position = position
    self.inversePosition = inversePosition
  }

  init(_ bytes: some RandomAccessCollection<UInt8>) throws {
    guard bytes.count == 16 else {
      throw PersistenceError(.corruptStore, "A link of the store is damaged.")
    }
    let words = [bytes.prefix(8), bytes.suffix(8)].map { word in
      Int64(bitPattern: word.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }
    position = words[0]
    inversePosition = words[1]
  }

  var bytes: [UInt8] { LinkKey.bytes(position, inversePosition) }
}
