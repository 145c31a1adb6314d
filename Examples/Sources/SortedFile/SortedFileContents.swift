// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostKeyValue
import RoostModel
import RoostStore

/// The content of a file: blobs, entries, and encoded records, each in order.
///
/// The file begins with magic bytes, the version of the format, the number of bytes after the header, and their
/// checksum: a truncated, changed or foreign file is detected before it is decoded.
struct SortedFileContents: Codable, Sendable {
  var blobs: [String: Data] = [:]
  var entries: [EntryTable: [Data]] = [:]
  var records: [Int: PackedRecords] = [:]

  /// The encoded records of an entity, which become rows when the layout is known.
  struct PackedRecords: Codable, Sendable {
    /// The format of the bytes: the model may have other attributes by now.
    var format: RecordFormat
    var keys: [Int64]
    var bytes: [Data]
  }

  private static let mark = Array("RoostSortedFile\n".utf8)
  private static let version: UInt64 = 1
  private static let headCount = mark.count + 24

  static var damaged: PersistenceError {
    PersistenceError(.corruptStore, "The sorted file is damaged.")
  }

  /// Decodes a file.
  ///
  /// - Throws: `persistentStoreTypeMismatch` for another program's file, `persistentStoreOpen` for one of a later
  ///   version, `corruptStore` for a damaged or truncated one.
  init(file: Data) throws {
    guard file.starts(with: Self.mark) else {
      if Self.mark.starts(with: file) { throw Self.damaged }
      throw PersistenceError(
        .persistentStoreTypeMismatch, "The file is no sorted file, but another program's.")
    }
    guard file.count >= Self.headCount else { throw Self.damaged }
    let numbers = (0..<3).map { Self.number(in: file, at: Self.mark.count + $0 * 8) }
    guard numbers[0] == Self.version else {
      throw PersistenceError(.persistentStoreOpen, "The sorted file has version \(numbers[0]).")
    }
    let body = file.dropFirst(Self.headCount)
    guard numbers[1] == UInt64(body.count), numbers[2] == Self.checksum(body) else {
      throw Self.damaged
    }
    do {
      self = try PropertyListDecoder().decode(Self.self, from: body)
    } catch {
      throw PersistenceError(.corruptStore, "The sorted file is damaged.", underlying: error)
    }
  }

  /// The bytes of the file.
  func file() throws -> Data {
    let encoder = PropertyListEncoder()
    encoder.outputFormat = .binary
    let body = try encoder.encode(self)
    var file = Data(Self.mark)
    for number in [Self.version, UInt64(body.count), Self.checksum(body)] {
      withUnsafeBytes(of: number.littleEndian) { file.append(contentsOf: $0) }
    }
    return file + body
  }

  private static func number(in file: Data, at offset: Int) -> UInt64 {
    file.withUnsafeBytes {
      UInt64(littleEndian: $0.loadUnaligned(fromByteOffset: offset, as: UInt64.self))
    }
  }

  private static func checksum(_ bytes: Data) -> UInt64 {
    bytes.withUnsafeBytes { Checksum.sum($0, seed: version) }
  }
}

// MARK: - States

extension SortedFileContents {
  /// Makes the contents from a snapshot.
  ///
  /// - Parameter others: The records of entities that the model does not have, as they were read.
  init(_ state: SortedFileState, besides others: [Int: PackedRecords]) throws {
    blobs = state.blobs.mapValues { Data($0) }
    entries = state.entries.mapValues { $0.flatMap { [Data($0.key), Data($0.value)] } }
    records = others
    for (code, rows) in state.records {
      guard let layout = rows.first?.value.layout else { continue }
      let codec = try RecordCodec(layout)
      records[code] = PackedRecords(
        format: RecordFormat(layout), keys: rows.map(\.key),
        bytes: try rows.map { Data(try codec.encode($0.value)) })
    }
  }

  /// The state that the contents are of, in the layouts of a model; without records when there is none yet.
  ///
  /// - Returns: The state, and the records of entities that the model does not have.
  func state(
    in schema: StoreSchema?
  ) throws -> (state: SortedFileState, others: [Int: PackedRecords]) {
    var state = SortedFileState(blobs: blobs.mapValues { Array($0) })
    for (table, bytes) in entries {
      guard bytes.count.isMultiple(of: 2) else { throw Self.damaged }
      state.entries[table] = stride(from: 0, to: bytes.count, by: 2).map {
        (Array(bytes[$0]), Array(bytes[$0 + 1]))
      }
    }
    var others = records
    for entity in schema?.entities ?? [] {
      guard let code = schema?.code(of: entity), let packed = others.removeValue(forKey: code)
      else { continue }
      let codec = try RecordCodec(format: packed.format, layout: entity.layout)
      guard packed.keys.count == packed.bytes.count else { throw Self.damaged }
      state.records[code] = try zip(packed.keys, packed.bytes).map {
        ($0, try codec.decode($1, key: $0))
      }
    }
    return (state, others)
  }
}
