// SPDX-License-Identifier: Apache-2.0

import Foundation
public import RoostModel

/// A description of how objects of one version of a model become objects of another, entity by entity.
///
/// ```swift
/// let people = EntityMapping(from: "Person", to: "Person")
/// people.attributeMappings = [PropertyMapping(name: "fullName", valueExpression: .source("name"))]
/// let mapping = MappingModel(entityMappings: [people])
/// ```
public final class MappingModel: @unchecked Sendable {
  // Sendable: written only while it is built, before a migration uses it.

  /// The mappings, in the order of the migration.
  public var entityMappings: [EntityMapping]
  /// The mappings as they were inferred; nil for a mapping model of the program's own.
  private var inferred: [MappingContent]?
  /// Whether it was inferred and not changed by the program since, so that a store can follow it without making
  /// objects.
  package var isInferred: Bool {
    get { inferred != nil && inferred == entityMappings.map(MappingContent.init) }
    set { inferred = newValue ? entityMappings.map(MappingContent.init) : nil }
  }
  /// Whether it was inferred: mappings that the program has not changed since keep their inferred meaning.
  package var wasInferred: Bool { inferred != nil }

  /// Makes a mapping model.
  ///
  /// - Parameter entityMappings: The mappings in their order; none unless given.
  public init(entityMappings: [EntityMapping] = []) {
    self.entityMappings = entityMappings
  }

  /// The mappings by name.
  public var entityMappingsByName: [String: EntityMapping] {
    Dictionary(entityMappings.map { ($0.name, $0) }, uniquingKeysWith: { first, _ in first })
  }

  /// Returns a mapping model with copies of everything.
  public func copy() -> MappingModel {
    let copy = MappingModel(entityMappings: entityMappings.map { $0.copy() })
    copy.inferred = inferred
    return copy
  }

  /// Sets the classes that a file's mappings name as their policies, for classes that cannot be found by name.
  ///
  /// ```swift
  /// try mapping.setPolicies([PostPolicy.self])
  /// ```
  /// - Parameter policies: The classes; each is used for every mapping that names it, with or without a module.
  /// - Throws: ``PersistenceError`` with code `entityMigrationPolicy` for a class that no mapping names.
  public func setPolicies(_ policies: [EntityMigrationPolicy.Type]) throws {
    for policy in policies {
      let name = String(describing: policy)
      let named = entityMappings.filter { $0.policyShortName == name }
      guard !named.isEmpty else {
        throw PersistenceError(
          .entityMigrationPolicy, "No entity mapping names a migration policy “\(name)”.")
      }
      for mapping in named { mapping.entityMigrationPolicy = policy }
    }
  }

  /// Whether the mapping model leads from one model to another: the models have all its entities, with the version
  /// hashes that it names; a mapping model without hashes must match by all its names.
  ///
  /// - Parameters:
  ///   - source: The model of the source objects; nil for any.
  ///   - destination: The model of the destination objects; nil for any.
  public func leads(from source: ManagedObjectModel?, to destination: ManagedObjectModel?) -> Bool {
    guard namesEntities(of: source, and: destination) else { return false }
    guard let source, let destination, !namesHashes else { return true }
    // A file of Xcode's editor has no hashes; only its compiler adds them: all its names must exist in the models.
    do {
      _ = try MappingCompiler(mapping: self, sourceModel: source, destinationModel: destination)
        .run()
      return true
    } catch {
      // A missing policy is reported when the mapping model is used.
      return (error as? PersistenceError)?.code == .entityMigrationPolicy
    }
  }

  /// Whether the entities of all mappings are in two models, with the version hashes that the mappings name.
  func namesEntities(
    of source: ManagedObjectModel?, and destination: ManagedObjectModel?
  ) -> Bool {
    !entityMappings.isEmpty
      && (try? MappingHashes(self).check(from: source, to: destination)) != nil
  }

  private var namesHashes: Bool {
    entityMappings.contains {
      $0.sourceEntityVersionHash != nil || $0.destinationEntityVersionHash != nil
    }
  }
}

extension EntityMapping {
  /// The name of the policy's class without its module.
  var policyShortName: String? {
    entityMigrationPolicyClassName?.split(separator: ".").last.map(String.init)
  }
}

/// The content of an entity mapping that decides how objects are migrated.
private struct MappingContent: Equatable {
  private let names: [String?]
  private let type: EntityMappingType
  private let hashes: [Data?]
  private let properties: [[Property]?]
  private let sourceExpression: MappingExpression?
  private let hasPolicy: Bool

  private struct Property: Equatable {
    let name: String?
    let expression: MappingExpression?
  }

  init(_ mapping: EntityMapping) {
    names = [
      mapping.name, mapping.sourceEntityName, mapping.destinationEntityName,
      mapping.entityMigrationPolicyClassName,
    ]
    type = mapping.mappingType
    hashes = [mapping.sourceEntityVersionHash, mapping.destinationEntityVersionHash]
    properties = [mapping.attributeMappings, mapping.relationshipMappings].map { list in
      list?.map { Property(name: $0.name, expression: $0.valueExpression) }
    }
    sourceExpression = mapping.sourceExpression
    hasPolicy = mapping.entityMigrationPolicy != nil || mapping.policyMaker != nil
  }
}

/// Checks a mapping model against its source and destination models (M19).
struct MappingHashes {
  private let mapping: MappingModel

  init(_ mapping: MappingModel) {
    self.mapping = mapping
  }

  /// - Throws: `migrationMissingMappingModel`, with the first entity that is missing or of another version.
  func check(
    from source: ManagedObjectModel?, to destination: ManagedObjectModel?
  ) throws(PersistenceError) {
    for entity in mapping.entityMappings {
      try check(
        entity.sourceEntityName, entity.sourceEntityVersionHash, source, "source", entity.name)
      try check(
        entity.destinationEntityName, entity.destinationEntityVersionHash, destination,
        "destination", entity.name)
    }
  }

  private func check(
    _ entityName: String?, _ hash: Data?, _ model: ManagedObjectModel?, _ side: String,
    _ mappingName: String
  ) throws(PersistenceError) {
    guard let entityName, let model else { return }
    guard let entity = model.entitiesByName[entityName] else {
      throw PersistenceError(
        .migrationMissingMappingModel,
        "The mapping \(mappingName) is of an entity \(entityName), which the \(side) model does "
          + "not have.", entityName: entityName)
    }
    guard hash == nil || hash == entity.versionHash else {
      throw PersistenceError(
        .migrationMissingMappingModel,
        "The mapping \(mappingName) was made for another version of the \(side) entity "
          + "\(entityName): the version hashes differ.", entityName: entityName)
    }
  }
}
