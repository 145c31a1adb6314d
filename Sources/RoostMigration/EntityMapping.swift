// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostModel
import RoostQuery

/// What becomes of the objects of one entity in a migration.
///
/// ```swift
/// let people = EntityMapping(from: "Person", to: "Employee")
/// people.attributeMappings = [PropertyMapping(name: "fullName", valueExpression: .source("name"))]
/// ```
public final class EntityMapping: @unchecked Sendable {
  // Sendable: written by the one who builds the mapping model, before a migration uses it.

  /// The name, unique in the mapping model, as `PersonToEmployee`.
  public var name: String
  /// What kind of change it is. An added entity takes no objects, of a removed one nothing is made.
  public var mappingType = EntityMappingType.undefined
  /// The entity whose objects are taken; nil for none. Those of its subentities are left out.
  public var sourceEntityName: String?
  /// The version hash that the source entity must have; nil for any.
  public var sourceEntityVersionHash: Data?
  /// The entity whose objects are made; nil for none.
  public var destinationEntityName: String?
  /// The version hash that the destination entity must have; nil for any.
  public var destinationEntityVersionHash: Data?
  /// What the attributes get.
  public var attributeMappings: [PropertyMapping]?
  /// What the relationships get.
  public var relationshipMappings: [PropertyMapping]?
  /// Which objects of the source are taken; nil for all of the entity.
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
  /// The name of the class that makes the objects, with its module's; looked up unless ``entityMigrationPolicy`` is
  /// set.
  public var entityMigrationPolicyClassName: String?
  /// Makes the policy, where it is none of a class; asked once for each migration.
  var policyMaker: (() -> EntityMigrationPolicy)?
  /// What the program wants to know of the mapping.
  public var userInfo: [AnyHashable: Any]?

  /// Makes a mapping without a name and entities.
  public init() {
    name = ""
  }

  /// Makes a mapping from one entity to another, named as Xcode does: `PersonToEmployee`.
  ///
  /// - Parameters:
  ///   - source: The entity whose objects are taken; nil for none.
  ///   - destination: The entity whose objects are made; nil for none.
  ///   - type: What kind of change it is; nil for the one that follows from the entities.
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

  /// Whether objects are taken, and others made of them.
  var makesInstances: Bool {
    sourceEntityName != nil && destinationEntityName != nil && mappingType != .add
      && mappingType != .remove
  }
}

/// What kind of change an entity mapping describes, with Core Data's numbers.
///
/// ```swift
/// if mapping.mappingType == .add { print("\(mapping.name) is new") }
/// ```
public enum EntityMappingType: UInt, Sendable, Hashable, CaseIterable {
  /// Not said: treated as a change.
  case undefinedEntityMappingType = 0
  /// A policy of the program makes the objects.
  case customEntityMappingType = 1
  /// The entity is new; no object of the source becomes one of it.
  case addEntityMappingType = 2
  /// The entity is gone; nothing is made of its objects.
  case removeEntityMappingType = 3
  /// The entity is the same.
  case copyEntityMappingType = 4
  /// The entity has changed.
  case transformEntityMappingType = 5

  /// Not said: treated as a change.
  public static let undefined = undefinedEntityMappingType
  /// A policy of the program makes the objects.
  public static let custom = customEntityMappingType
  /// The entity is new; no object of the source becomes one of it.
  public static let add = addEntityMappingType
  /// The entity is gone; nothing is made of its objects.
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
  /// What an expression can ask of `$entityMapping`.
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
