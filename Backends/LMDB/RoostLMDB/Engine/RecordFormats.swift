// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostKeyValue
import RoostModel
import RoostStore

/// The record formats of all entities: the formats that a file has had, numbered by entity, and the codecs for a
/// model's layouts.
///
/// An entity gets a new format when a record is written whose layout fits no known format; existing records stay as
/// they are.
final class RecordFormats: Sendable {
  static let blobName = "formats"

  /// The formats of each entity code in the order of their numbers.
  private let formats: [Int: [RecordFormat]]
  private let codecs: [[RecordCodec]]
  /// The codec that each entity code's records are written with; nil when the layout has no format.
  private let writers: [RecordCodec?]
  private let schema: StoreSchema

  /// Makes codecs for a model.
  ///
  /// - Parameter bytes: The encoded formats of the file; nil when it has none.
  /// - Throws: `corruptStore` when that cannot be read, `persistentStoreIncompatibleSchema` when the model has another
  ///   type for a value than the file.
  convenience init(_ bytes: [UInt8]?, schema: StoreSchema) throws {
    var formats: [Int: [RecordFormat]] = [:]
    if let bytes {
      if let scanned = RecordFormat.scanned(bytes) {
        formats = scanned
      } else {
        do {
          formats = try JSONDecoder().decode([Int: [RecordFormat]].self, from: Data(bytes))
        } catch {
          throw PersistenceError(
            .corruptStore, "The store's list of record formats cannot be read.", underlying: error)
        }
      }
    }
    try self.init(formats, schema: schema)
  }

  private init(_ formats: [Int: [RecordFormat]], schema: StoreSchema) throws {
    self.formats = formats
    self.schema = schema
    var codecs: [[RecordCodec]] = []
    for entity in schema.entities {
      guard let code = schema.code(of: entity) else { continue }
      while codecs.count <= code { codecs.append([]) }
      codecs[code] = try (formats[code] ?? []).enumerated().map { number, format in
        try RecordCodec(format: format, layout: entity.layout, formatNumber: number)
      }
    }
    self.codecs = codecs
    writers = codecs.map { codecs in
      guard let layout = codecs.first?.layout else { return nil }
      let wanted = RecordFormat(layout)
      return codecs.last { $0.hasFormat(wanted) }
    }
  }

  /// The codec of a format; nil for an unknown one.
  @inline(__always)
  func codec(ofEntityCode code: Int, format number: Int) -> RecordCodec? {
    guard code < codecs.count, number < codecs[code].count else { return nil }
    return codecs[code][number]
  }

  /// The codec that an entity's records are written with; nil when the layout has no format.
  func writer(ofEntityCode code: Int) -> RecordCodec? {
    code < writers.count ? writers[code] : nil
  }

  /// The formats with one more for each of some entities.
  func adding(_ entityCodes: [Int]) throws -> RecordFormats {
    var extended = formats
    for code in entityCodes {
      guard let layout = layout(ofEntityCode: code) else { continue }
      guard extended[code]?.count ?? 0 <= Int(UInt16.max) else {
        throw PersistenceError(
          .limitExceeded, "The records of an entity have had 65,536 formats; copy the store.",
          entityName: layout.entity.name)
      }
      extended[code, default: []].append(RecordFormat(layout))
    }
    return try RecordFormats(extended, schema: schema)
  }

  /// Returns the formats by which existing records are read after a model migration, without being rewritten.
  func following(_ change: SchemaChange) throws -> RecordFormats {
    var formats = formats
    for entity in change.entities {
      formats[entity.code] = try formats[entity.code]?.map { try $0.following(entity) }
    }
    for entity in change.removedEntities {
      if let code = change.source.code(of: entity) { formats[code] = nil }
    }
    return try RecordFormats(formats, schema: change.destination)
  }

  /// Returns the formats as bytes for the file; equal formats give equal bytes.
  func bytes() throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.sortedKeys, .withoutEscapingSlashes]
    return [UInt8](try encoder.encode(formats))
  }

  /// The layout of an entity's rows.
  func layout(ofEntityCode code: Int) -> RowLayout? {
    schema.layout(ofKey: RecordKey.make(sequence: 0, entityCode: code))
  }

  /// Returns the object ID of a record, for errors.
  func objectID(forKey key: Int64) -> ObjectID? { schema.objectID(forKey: key) }
}
