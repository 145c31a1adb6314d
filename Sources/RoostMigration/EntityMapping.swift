// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostModel
import RoostQuery

/// The mapping of one entity's objects in a migration.
///
/// ```swift
/// let people = EntityMapping(from: "Person", to: "Employee")
/// people.attributeMappings = [PropertyMapping(name: "fullName", valueExpression: .source("name"))]
/// ```
public final class EntityMapping: @unchecked Sendable {
  // Sendable: written only while the mapping model is built, before a migration uses it.

  /// The name, unique in the mapping model, as `PersonToEmployee`.
  public var name: String
  /// The kind of change. An added entity has no source objects; a removed entity has no destination objects.
  public var mappingType = EntityMappingType.undefined
  /// The source entity; nil for none. Its subentities are not included.
  public var sourceEntityName: String?
  /// The version hash that the source entity must have; nil for any.
  public var sourceEntityVersionHash: Data?
  /// The destination entity; nil for none.
  public var destinationEntityName: String?
  /// The version hash that the destination entity must have; nil for any.
  public var destinationEntityVersionHash: Data?
  /// The mappings of the attributes.
  public var attributeMappings: [PropertyMapping]?
  /// The mappings of the relationships.
  public var relationshipMappings: [PropertyMapping]?
  /// The expression for the source objects; nil for all objects of the entity.
  @_disfavoredOverload
  public var sourceExpression: MappingExpression?
  /// The class that makes the objects; nil for ``EntityMigrationPolicy``, unless
  /// ``entityMigrationPolicyClassName`` names one.
  public var entityMigrationPolicy: EntityMigrationPolicy.Type? {
    didSet {
      guard let entityMigrationPolicy else { return }
      entityMigrationPolicyClassName = String(reflecting: entityMigrationPolicy)
    }
  }
  /// The class name of the policy, with its module; the class is looked up unless ``entityMigrationPolicy`` is set.
  public var entityMigrationPolicyClassName: String?
  /// Makes the policy when it is not made from a class; called once for each migration.
  var policyMaker: (() -> EntityMigrationPolicy)?
  /// Additional information for the program.
  public var userInfo: [AnyHashable: Any]?

  /// Makes a mapping without a name and entities.
  public init() {
    name = ""
  }

  /// Makes a mapping from one entity to another, named as Xcode does: `PersonToEmployee`.
  ///
  /// - Parameters:
  ///   - source: The source entity; nil for none.
  ///   - destination: The destination entity; nil for none.
  ///   - type: The kind of change; nil derives it from the entities.
  public init(from source: String?, to destination: String?, type: EntityMappingType? = nil) {
    sourceEntityName = source
    destinationEntityName = destination
    if let source, let destination {
      name = "\(source)To\(destination)"
      mappingType = type ?? .transform
    } else {
      name = source ?? destination ?? ""
      mappingType = type ?? (source == nil ? .add : .remove)
    }
  }

  /// Returns a mapping with copies of the property mappings.
  public func copy() -> EntityMapping {
    let copy = EntityMapping()
    copy.name = name
    copy.mappingType = mappingType
    copy.sourceEntityName = sourceEntityName
    copy.sourceEntityVersionHash = sourceEntityVersionHash
    copy.destinationEntityName = destinationEntityName
    copy.destinationEntityVersionHash = destinationEntityVersionHash
    copy.attributeMappings = attributeMappings?.map { $0.copy() }
    copy.relationshipMappings = relationshipMappings?.map { $0.copy() }
    copy.sourceExpression = sourceExpression
    copy.entityMigrationPolicy = entityMigrationPolicy
    copy.entityMigrationPolicyClassName = entityMigrationPolicyClassName
    copy.policyMaker = policyMaker
    copy.userInfo = userInfo
    return copy
  }

  /// Whether the mapping has a source and makes objects.
  var makesInstances: Bool {
    sourceEntityName != nil && destinationEntityName != nil && mappingType != .add
      && mappingType != .remove
  }
}

/// The kind of change that an entity mapping describes, with Core Data's raw values.
///
/// ```swift
/// if mapping.mappingType == .add { print("\(mapping.name) is new") }
/// ```
public enum EntityMappingType: UInt, Sendable, Hashable, CaseIterable {
  /// Undefined: treated as a transformation.
  case undefinedEntityMappingType = 0
  /// A policy of the program makes the objects.
  case customEntityMappingType = 1
  /// The entity is new; it has no source objects.
  case addEntityMappingType = 2
  /// The entity is removed; its objects are dropped.
  case removeEntityMappingType = 3
  /// The entity is the same.
  case copyEntityMappingType = 4
  /// The entity has changed.
  case transformEntityMappingType = 5

  /// Undefined: treated as a transformation.
  public static let undefined = undefinedEntityMappingType
  /// A policy of the program makes the objects.
  public static let custom = customEntityMappingType
  /// The entity is new; no object of the source becomes one of it.
  public static let add = addEntityMappingType
  /// The entity is removed; its objects are dropped.
  public static let remove = removeEntityMappingType
  /// The entity is the same.
  public static let copy = copyEntityMappingType
  /// The entity has changed.
  public static let transform = transformEntityMappingType
}

extension EntityMapping: CustomStringConvertible {
  /// The name, the entities and the type.
  public var description: String {
    "\(name): \(sourceEntityName ?? "nothing") to \(destinationEntityName ?? "nothing")"
  }
}

extension EntityMapping: KeyedValues {
  /// The keys that `$entityMapping` has in expressions.
  static let keys: Set<String> = ["name", "sourceEntityName", "destinationEntityName", "userInfo"]

  package func plainValue(forKey key: String) throws -> Any? {
    switch key {
    case "name": return name
    case "sourceEntityName": return sourceEntityName
    case "destinationEntityName": return destinationEntityName
    case "userInfo": return userInfo ?? [:]
    default:
      throw PersistenceError(.unknownKey, "$entityMapping has no key “\(key)”.", key: key)
    }
  }
}
