// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostKeyValue
import RoostModel

/// The decoded file of a binary store.
///
/// | bytes | what |
/// |---|---|
/// | 0-15 | `RoostBinaryStore` |
/// | 16-19 | the version of this format: 1, or 2 with references to other stores or parts of saves |
/// | 20-23 | 0 |
/// | 24-31 | how many bytes follow the beginning, which takes 40 |
/// | 32-39 | the ``Checksum`` of these bytes |
/// | ... | the blobs: name and bytes |
/// | ... | the entries: for each table its number, and keys and values |
/// | ... | the records: for each entity its code, the ``RecordFormat`` as JSON, and keys and records |
///
/// Numbers are little-endian; each list is preceded by its count, each text by its number of bytes.
struct BinaryContents {
  var blobs: [String: [UInt8]] = [:]
  var entries: [(table: EntryTable, batch: EntryBatch)] = []
  /// The records by entity code; they become rows when the layouts are known.
  var records: [Int: PackedRecords] = [:]

  /// The records of an entity as stored in the file.
  struct PackedRecords {
    var format: RecordFormat
    var count: Int
    var bytes: ArraySlice<UInt8>
  }

  private static let magic = Array("RoostBinaryStore".utf8)
  private static let version: UInt32 = 1
  /// The newest known version. A Roost without references to other stores would empty their tables.
  private static let newestVersion = UInt32(FormatBlob.versionOfReferences)
  private static let headCount = 40

  /// Whether bytes are the beginning of a file of this kind, of whichever version.
  static func isOwn(_ bytes: [UInt8]) -> Bool { bytes.starts(with: magic) }
}

// MARK: - Reading

extension BinaryContents {
  /// Decodes a whole file.
  ///
  /// - Throws: `persistentStoreTypeMismatch` for another program's file, `persistentStoreOpen` for one of a later
  ///   version, `corruptStore` for one that is damaged.
  init(file bytes: [UInt8]) throws {
    guard Self.isOwn(bytes) else {
      // A file that was truncated within the magic bytes is damaged, and not another program's.
      guard bytes.count < Self.magic.count, Self.magic.starts(with: bytes) else {
        throw PersistenceError(
          .persistentStoreTypeMismatch, "The file is no binary store, but another program's.")
      }
      throw BinaryReader.corrupt
    }
    guard bytes.count >= Self.headCount else { throw BinaryReader.corrupt }
    var head = BinaryReader(bytes[Self.magic.count..<Self.headCount])
    let version = try head.number(UInt32.self)
    guard (Self.version...Self.newestVersion).contains(version) else {
      throw PersistenceError(
        .persistentStoreOpen,
        "The binary store has version \(version); this version of Roost knows those up to "
          + "\(Self.newestVersion).")
    }
    let reserved = try head.number(UInt32.self)
    let count = try head.number(UInt64.self)
    let sum = try head.number(UInt64.self)
    let payload = bytes[Self.headCount...]
    guard reserved == 0, count == UInt64(payload.count), sum == Self.checksum(payload) else {
      throw BinaryReader.corrupt
    }
    try self.init(payload: payload)
  }

  private init(payload: ArraySlice<UInt8>) throws {
    var reader = BinaryReader(payload)
    for _ in 0..<(try reader.count(ofAtLeast: 16)) {
      let name = try reader.counted()
      blobs[String(decoding: name, as: UTF8.self)] = Array(try reader.counted())
    }
    for _ in 0..<(try reader.count(ofAtLeast: 16)) {
      let table = EntryTable(number: try Self.index(reader.number(UInt64.self)))
      var batch = EntryBatch()
      for _ in 0..<(try reader.count(ofAtLeast: 16)) {
        let key = try reader.counted()
        let value = try reader.counted()
        // Each key ends with the key of a record.
        guard key.count >= MemoryLayout<Int64>.size else { throw BinaryReader.corrupt }
        batch.append(.put) { bytes in
          bytes.append(contentsOf: key)
          return value
        }
      }
      guard batch.refusedSize == nil else { throw BinaryReader.corrupt }
      entries.append((table, batch))
    }
    for _ in 0..<(try reader.count(ofAtLeast: 32)) {
      let code = try Self.index(reader.number(UInt64.self))
      let format = try Self.format(reader.counted())
      let count = try reader.number(UInt64.self)
      let bytes = try reader.counted()
      guard count <= UInt64(bytes.count) else { throw BinaryReader.corrupt }
      records[code] = PackedRecords(format: format, count: Int(count), bytes: bytes)
    }
    guard reader.isAtEnd else { throw BinaryReader.corrupt }
  }

  private static func index(_ number: UInt64) throws -> Int {
    guard number <= 1 << 20 else { throw BinaryReader.corrupt }
    return Int(number)
  }

  private static func format(_ bytes: ArraySlice<UInt8>) throws -> RecordFormat {
    do {
      return try JSONDecoder().decode(RecordFormat.self, from: Data(bytes))
    } catch {
      throw BinaryReader.corrupt
    }
  }

  private static func checksum(_ payload: ArraySlice<UInt8>) -> UInt64 {
    payload.withUnsafeBytes { Checksum.sum($0, seed: UInt64(version)) }
  }

  /// The state of the tables that has no records yet.
  func tablesWithoutRecords() -> MemoryVersion {
    var batch = WriteBatch()
    for (name, bytes) in blobs { batch.setBlob(bytes, named: name) }
    for (table, changes) in entries { batch.changeEntries(of: table) { $0 = changes } }
    return MemoryVersion().applying(batch)
  }
}

extension BinaryContents.PackedRecords {
  /// The records as rows of a layout.
  ///
  /// - Throws: `corruptStore`, or `persistentStoreIncompatibleSchema` when the layout has other types of values.
  func rows(as layout: RowLayout, code: Int) throws -> [RecordChange] {
    let codec = try RecordCodec(format: format, layout: layout)
    var reader = BinaryReader(bytes)
    var changes: [RecordChange] = []
    changes.reserveCapacity(count)
    for _ in 0..<count {
      let key = try reader.number(Int64.self)
      let record = try reader.counted()
      guard key >= 0, RecordKey.entityCode(of: key) == code else { throw BinaryReader.corrupt }
      let row = try record.withUnsafeBytes { try codec.decode($0, key: key) }
      changes.append(RecordChange(key: key, row: row))
    }
    guard reader.isAtEnd, Set(changes.map(\.key)).count == changes.count else {
      throw BinaryReader.corrupt
    }
    return changes
  }
}

// MARK: - Writing

extension BinaryContents {
  /// Encodes a file.
  ///
  /// - Parameters:
  ///   - version: The snapshot.
  ///   - packed: The records of entities that the model does not have, as they were read.
  /// - Throws: The errors of encoding a row.
  /// - Complexity: O(all records and entries).
  static func file(
    of version: MemoryVersion, besides packed: [Int: PackedRecords]
  ) throws -> [UInt8] {
    var payload = BinaryWriter()
    payload.put(UInt64(version.blobs.count))
    for (name, bytes) in version.blobs.sorted(by: { $0.key < $1.key }) {
      payload.put(counted: Array(name.utf8))
      payload.put(counted: bytes)
    }
    try putEntries(of: version, into: &payload)
    try putRecords(of: version, besides: packed, into: &payload)
    var file = BinaryWriter()
    file.put(magic)
    file.put(version.blobs[FormatBlob.name] == nil ? Self.version : Self.newestVersion)
    file.put(UInt32(0))
    file.put(UInt64(payload.bytes.count))
    file.put(checksum(payload.bytes[...]))
    file.put(payload.bytes)
    return file.bytes
  }

  private static func putEntries(
    of version: MemoryVersion, into payload: inout BinaryWriter
  ) throws {
    let tables = version.tables
    payload.put(UInt64(tables.count))
    for table in tables {
      payload.put(UInt64(table.number))
      payload.put(UInt64(version.entryCount(of: table, in: .all)))
      try version.scanEntries(of: table, in: .all, descending: false) { chunk in
        for index in 0..<chunk.count {
          payload.put(counted: chunk[index].key)
          payload.put(counted: chunk[index].value)
        }
        return true
      }
    }
  }

  private static func putRecords(
    of version: MemoryVersion, besides packed: [Int: PackedRecords],
    into payload: inout BinaryWriter
  ) throws {
    let codes = version.records.indices.filter { version.recordCount(ofEntityCode: $0) > 0 }
    let others = packed.filter { !codes.contains($0.key) }
    payload.put(UInt64(codes.count + others.count))
    for code in codes {
      var records = BinaryWriter()
      var codec: RecordCodec?
      try version.scanRecords(ofEntityCode: code) { chunk in
        for index in 0..<chunk.count {
          try chunk.withRow(index) { row in
            let known = try codec ?? RecordCodec(row.layout)
            codec = known
            records.put(row.key)
            records.put(counted: try known.encode(row))
          }
        }
        return true
      }
      guard let codec else { preconditionFailure("An entity with records has a first one.") }
      try put(
        PackedRecords(
          format: RecordFormat(codec.layout), count: version.recordCount(ofEntityCode: code),
          bytes: records.bytes[...]), code, into: &payload)
    }
    for (code, records) in others { try put(records, code, into: &payload) }
  }

  private static func put(
    _ records: PackedRecords, _ code: Int, into payload: inout BinaryWriter
  ) throws {
    payload.put(UInt64(code))
    payload.put(counted: try JSONEncoder().encode(records.format))
    payload.put(UInt64(records.count))
    payload.put(counted: records.bytes)
  }
}
