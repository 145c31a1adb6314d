// SPDX-License-Identifier: Apache-2.0

public import RoostModel
import RoostObjects

/// A record of the old version, which a transform reads by name.
///
/// ```swift
/// let name: String? = try old["name"]
/// let team = try old.record("team")
/// ```
public struct MigrationRecord {
  let object: ManagedObject

  init(_ object: ManagedObject) {
    self.object = object
  }

  /// The name of the record's entity in the old version.
  public var entityName: String { object.entity.name ?? "" }

  /// The ID of the record, in the old version.
  public var objectID: ObjectID { object.objectID }

  /// The value of an attribute; nil when there is none.
  ///
  /// - Parameter name: The attribute's name in the old version; for an element of a composite attribute the path,
  ///   such as `address.street`.
  /// - Throws: ``PersistenceError`` with code `unknownKey` when the old entity has no such attribute, `invalidValue`
  ///   when it has another type than requested or the value does not fit, and the errors of reading the store.
  /// - Complexity: The records of a batch are read together.
  public subscript<Read: AttributeValue>(_ name: String) -> Read? {
    get throws {
      guard let attribute = attribute(name) else { throw unknown(name, "attribute") }
      guard Self.holds(attribute.type, Read.attributeType) else {
        throw wrong(name, "is \(attribute.type)", Read.self)
      }
      let value = try object.exchangeValue(forKey: name)
      guard !value.isNull else { return nil }
      guard let read = Read(value) else {
        throw wrong(name, "has a value that does not fit", Read.self)
      }
      return read
    }
  }

  /// The destination of a to-one relationship; nil when there is none.
  ///
  /// - Parameter name: The relationship's name in the old version.
  /// - Throws: ``PersistenceError`` with code `unknownKey` when the old entity has no such to-one relationship, and
  ///   the errors of reading the store.
  /// - Complexity: One query where the record was not read yet.
  public func record(_ name: String) throws -> MigrationRecord? {
    guard let relationship = object.entity.relationshipsByName[name], !relationship.isToMany else {
      throw unknown(name, "relationship to one")
    }
    return (try object.value(forKey: name) as? ManagedObject).map(MigrationRecord.init)
  }

  /// The destinations of a to-many relationship: in their order, or by their IDs where it is unordered.
  ///
  /// - Parameter name: The relationship's name in the old version.
  /// - Throws: ``PersistenceError`` with code `unknownKey` when the old entity has no such to-many relationship, and
  ///   the errors of reading the store.
  /// - Complexity: One query, and one for the records when their values are read.
  public func records(_ name: String) throws -> [MigrationRecord] {
    guard let relationship = object.entity.relationshipsByName[name], relationship.isToMany else {
      throw unknown(name, "relationship to many")
    }
    return MigrationRun.objects(in: try object.value(forKey: name)).map(MigrationRecord.init)
  }

  // MARK: - Names and types

  private func attribute(_ name: String) -> AttributeDescription? {
    let steps = name.split(separator: ".").map(String.init)
    guard let first = steps.first else { return nil }
    var attribute = object.entity.attributesByName[first]
    for step in steps.dropFirst() {
      let composite = attribute as? CompositeAttributeDescription
      attribute = composite?.elements.first { $0.name == step } as? AttributeDescription
    }
    return attribute is CompositeAttributeDescription ? nil : attribute
  }

  /// Whether values of an attribute type can be read as those of another one; integers as far as they fit.
  private static func holds(_ stored: AttributeType, _ asked: AttributeType) -> Bool {
    let integers: Set<AttributeType> = [.integer16, .integer32, .integer64]
    if stored == asked || stored == .undefined || asked == .undefined { return true }
    return integers.contains(stored) && integers.contains(asked)
  }

  private func unknown(_ name: String, _ kind: String) -> PersistenceError {
    PersistenceError(
      .unknownKey, "The entity \(entityName) of the old version has no \(kind) “\(name)”.",
      entityName: entityName, key: name, objectIDs: [objectID])
  }

  private func wrong(_ name: String, _ reason: String, _ asked: Any.Type) -> PersistenceError {
    PersistenceError(
      .invalidValue,
      "“\(name)” of the entity \(entityName) of the old version \(reason), and is read as \(asked).",
      entityName: entityName, key: name, objectIDs: [objectID])
  }
}
