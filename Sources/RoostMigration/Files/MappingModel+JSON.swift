// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostModel

extension MappingModel {
  /// The mapping model as JSON, to be kept in a file that people read and change: expressions are texts in Core Data's
  /// format language.
  ///
  /// ```swift
  /// try mapping.jsonData().write(to: URL(filePath: "1to2.roostmapping.json"))
  /// ```
  /// - Throws: ``PersistenceError`` with code `invalidModel` for text that is no Unicode.
  public func jsonData() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    do {
      return try encoder.encode(MappingText(self))
    } catch {
      throw PersistenceError(
        .invalidModel, "The mapping model cannot be written.", underlying: error)
    }
  }

  /// Reads a mapping model that ``jsonData()`` has written.
  ///
  /// - Parameter data: The JSON.
  /// - Throws: ``PersistenceError`` with code `invalidModel`, `invalidPredicate` for an expression that cannot be read,
  ///   `limitExceeded` for more than 32 MB.
  public convenience init(jsonData data: Data) throws {
    guard data.count <= MappingText.largestSize else {
      throw PersistenceError(.limitExceeded, "A mapping model is larger than 32 MB.")
    }
    let text: MappingText
    do {
      text = try JSONDecoder().decode(MappingText.self, from: data)
    } catch {
      throw PersistenceError(
        .invalidModel, "The JSON is no mapping model of Roost's.", underlying: error)
    }
    guard text.version == 1 else {
      throw PersistenceError(
        .invalidModel, "The mapping model is of format \(text.version); this is a later one.")
    }
    self.init(entityMappings: try text.entities.map { try $0.mapping() })
  }
}

/// A mapping model as its file has it.
private struct MappingText: Codable {
  static let largestSize = 32 << 20

  struct Entity: Codable {
    var name: String
    var type: UInt
    var source: String?
    var sourceHash: Data?
    var destination: String?
    var destinationHash: Data?
    var policy: String?
    var fetch: String?
    var attributes: [Property]
    var relationships: [Property]

    func mapping() throws -> EntityMapping {
      let mapping = EntityMapping()
      mapping.name = name
      guard let type = EntityMappingType(rawValue: type) else {
        throw PersistenceError(
          .invalidModel, "The mapping \(name) is of an unknown type, \(type).")
      }
      mapping.mappingType = type
      mapping.sourceEntityName = source
      mapping.sourceEntityVersionHash = sourceHash
      mapping.destinationEntityName = destination
      mapping.destinationEntityVersionHash = destinationHash
      mapping.entityMigrationPolicyClassName = policy
      mapping.sourceExpression = try fetch.map { try MappingExpression(format: $0) }
      mapping.attributeMappings = try attributes.map { try $0.mapping() }
      mapping.relationshipMappings = try relationships.map { try $0.mapping() }
      return mapping
    }
  }

  struct Property: Codable {
    var name: String
    var value: String?
    var isAutomatic: Bool?

    init(_ mapping: PropertyMapping) {
      name = mapping.name ?? ""
      value = mapping.valueExpression?.description
      isAutomatic = mapping.isAutomatic ? true : nil
    }

    func mapping() throws -> PropertyMapping {
      let mapping = PropertyMapping(
        name: name, valueExpression: try value.map { try MappingExpression(format: $0) })
      mapping.isAutomatic = isAutomatic ?? false
      return mapping
    }
  }

  var version = 1
  var entities: [Entity]

  init(_ mapping: MappingModel) {
    entities = mapping.entityMappings.map { entity in
      Entity(
        name: entity.name, type: entity.mappingType.rawValue, source: entity.sourceEntityName,
        sourceHash: entity.sourceEntityVersionHash, destination: entity.destinationEntityName,
        destinationHash: entity.destinationEntityVersionHash,
        policy: entity.entityMigrationPolicyClassName,
        fetch: entity.sourceExpression?.description,
        attributes: (entity.attributeMappings ?? []).map { Property($0) },
        relationships: (entity.relationshipMappings ?? []).map { Property($0) })
    }
  }
}
