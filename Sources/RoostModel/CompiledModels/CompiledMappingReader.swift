// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Reads a mapping model as Xcode's compiler writes it: a `.cdm`, which is a keyed archive.
struct CompiledMappingReader {
  private let archive: KeyedArchive
  private let conditions: ArchivedConditions

  /// - Throws: `invalidModel` when the bytes are not an archive.
  init(_ bytes: [UInt8], name: String) throws(PersistenceError) {
    archive = try KeyedArchive(bytes, name: name)
    conditions = ArchivedConditions(archive: archive)
  }

  /// Returns the mappings in their order.
  ///
  /// - Throws: `invalidModel` with the number of the invalid object.
  func read() throws(PersistenceError) -> [MappingFile.Entity] {
    guard let root = archive.root, root.className == "NSMappingModel" else {
      throw PersistenceError(
        .invalidModel, "\(archive.name) is an archive of something else than a mapping model.")
    }
    var result: [MappingFile.Entity] = []
    for member in try archive.members("NSEntityMappings", of: root) {
      guard case .object(let object) = member, object.className == "NSEntityMapping" else {
        throw archive.fault(root, "has a member that is no mapping of an entity")
      }
      result.append(try entity(object))
    }
    return result
  }

  private func entity(
    _ object: KeyedArchive.Object
  ) throws(PersistenceError) -> MappingFile.Entity {
    var entity = MappingFile.Entity()
    entity.name = try archive.text("NSMappingName", of: object) ?? ""
    entity.type = UInt(clamping: try archive.number("NSMappingType", of: object) ?? 0)
    entity.source = try archive.text("NSSourceEntityName", of: object)
    entity.destination = try archive.text("NSDestinationEntityName", of: object)
    entity.sourceHash = try data("NSSourceEntityVersionHash", of: object)
    entity.destinationHash = try data("NSDestinationEntityVersionHash", of: object)
    entity.policy = try archive.text("NSEntityMigrationPolicyClassName", of: object)
    if let source = try archive.child("NSSourceExpression", of: object) {
      entity.sourceExpression = try conditions.expression(source)
    }
    entity.attributes = try properties("NSAttributeMappings", of: object)
    entity.relationships = try properties("NSRelationshipMappings", of: object)
    entity.userInfo = try userInfo(of: object)
    return entity
  }

  private func properties(
    _ key: String, of object: KeyedArchive.Object
  ) throws(PersistenceError) -> [MappingFile.Property] {
    var result: [MappingFile.Property] = []
    for member in try archive.members(key, of: object) {
      guard case .object(let part) = member,
        let name = try archive.text("NSDestinationPropertyName", of: part)
      else { throw archive.fault(object, "has a member that is no mapping of a property") }
      var property = MappingFile.Property(name: name)
      if let value = try archive.child("NSValueExpression", of: part) {
        property.expression = try conditions.expression(value)
      }
      property.userInfo = try userInfo(of: part)
      result.append(property)
    }
    return result
  }

  private func data(
    _ key: String, of object: KeyedArchive.Object
  ) throws(PersistenceError) -> Data? {
    guard case .data(let bytes) = try archive.value(key, of: object) else { return nil }
    return Data(bytes)
  }

  private func userInfo(
    of object: KeyedArchive.Object
  ) throws(PersistenceError) -> [String: String] {
    var result: [String: String] = [:]
    for (key, value) in try archive.entries("NSUserInfo", of: object) {
      if case .string(let text) = value { result[key] = text }
    }
    return result
  }
}
