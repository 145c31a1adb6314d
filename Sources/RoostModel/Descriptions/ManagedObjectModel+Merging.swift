// SPDX-License-Identifier: Apache-2.0

public import Foundation

extension ManagedObjectModel {
  /// Makes a model of all entities, configurations, templates and version identifiers of several models. The
  /// models stay as they are.
  ///
  /// An entity that several models define alike is included once, with the subentities, the indexes and the user info
  /// of all of them. For localised names the first one wins.
  ///
  /// - Throws: `invalidModel` when two models define an entity, an index of one, a value of its user info, or a
  ///   template of one name differently; all clashes are underlying errors.
  @_disfavoredOverload
  public convenience init(byMerging models: [ManagedObjectModel]) throws {
    self.init()
    var merge = ModelMerge()
    for model in models { merge.add(model.copy()) }
    if !merge.clashes.isEmpty {
      throw PersistenceError(
        .invalidModel, "The models define the same names differently.",
        underlyingErrors: merge.clashes)
    }
    merge.finish(into: self)
  }

  /// Makes the merged model if it has exactly the entities with which a store was written; nil otherwise.
  ///
  /// - Parameter hashes: The version hashes of the store's metadata, by entity.
  /// - Throws: The errors of ``init(byMerging:)``.
  @_disfavoredOverload
  public convenience init?(
    byMerging models: [ManagedObjectModel], forStoreMetadata hashes: [String: Data]
  ) throws {
    try self.init(byMerging: models)
    guard isConfiguration(withName: nil, compatibleWithStoreMetadata: hashes) else { return nil }
  }
}

/// A merge of models, which are consumed.
private struct ModelMerge {
  private var entities: [EntityDescription] = []
  private var byName: [String: EntityDescription] = [:]
  private var subentities: [String: [String]] = [:]
  private var configurations: [String: [String]] = [:]
  private var templates: [String: any ModelFetchRequest] = [:]
  private var indexes: [String: [FetchIndexDescription]] = [:]
  private var versionIdentifiers: Set<String> = []
  private var localization: [String: String] = [:]
  private(set) var clashes: [PersistenceError] = []
  /// The models, retained until the merge is complete, because they keep the relationships of their entities.
  private var models: [ManagedObjectModel] = []
  private var duplicates: [EntityDescription] = []

  /// Adds a model that is not used elsewhere.
  mutating func add(_ model: ManagedObjectModel) {
    models.append(model)
    for entity in model.entities {
      let name = entity.name ?? ""
      let children = entity.subentities.compactMap(\.name)
      if let known = byName[name] {
        if !known.isDefinedLike(entity) {
          clash("Two models define the entity “\(name)” differently.", name)
        }
        addIndexes(of: entity, name)
        known.addUserInfo(of: entity)
        duplicates.append(entity)
      } else {
        byName[name] = entity
        entities.append(entity)
        indexes[name] = entity.indexes
      }
      let knownChildren = subentities[name] ?? []
      subentities[name] = knownChildren + children.filter { !knownChildren.contains($0) }
    }
    for (name, template) in model.templates {
      if let known = templates[name], !known.isSameRequest(as: template) {
        clash("Two models define the fetch request template “\(name)” differently.", nil)
      }
      templates[name] = templates[name] ?? template
    }
    for (name, members) in model.entitiesByConfiguration {
      let known = configurations[name] ?? []
      configurations[name] =
        known + members.compactMap(\.name).filter { !known.contains($0) }
    }
    versionIdentifiers.formUnion(model.versionIdentifiers)
    localization.merge(model.localizationDictionary) { first, _ in first }
  }

  /// Adds the indexes that an entity has in one more model.
  private mutating func addIndexes(of entity: EntityDescription, _ name: String) {
    for index in entity.indexes {
      guard let known = indexes[name]?.first(where: { $0.name == index.name }) else {
        indexes[name, default: []].append(index)
        continue
      }
      if !known.isDefinedLike(index) {
        clash("Two models define the index “\(index.name)” differently.", name)
      }
    }
  }

  private mutating func clash(_ message: String, _ entityName: String?) {
    clashes.append(PersistenceError(.invalidModel, message, entityName: entityName))
  }

  /// Completes the merge: references to duplicate entities are redirected to the included one.
  func finish(into model: ManagedObjectModel) {
    for entity in entities {
      entity.replaceSubentities(
        (subentities[entity.name ?? ""] ?? []).compactMap { byName[$0] })
      for case let relationship as RelationshipDescription in entity.declaredProperties {
        redirect(relationship)
      }
    }
    takeIndexes()
    for source in models { source.entities = [] }
    for duplicate in duplicates { duplicate.dissolve() }
    model.entities = entities
    model.entitiesByConfiguration = configurations.mapValues { $0.compactMap { byName[$0] } }
    model.templates = templates
    model.versionIdentifiers = versionIdentifiers
    model.localizationDictionary = localization
  }

  /// Gives each entity the indexes that it has in any of the models, on the included properties.
  private func takeIndexes() {
    for entity in entities {
      let all = indexes[entity.name ?? ""] ?? []
      let properties = all.count > entity.indexes.count ? entity.propertiesByName : [:]
      for element in all.flatMap(\.elements) {
        if let property = element.property, let owner = property.entity,
          byName[owner.name ?? ""] !== owner, let taken = properties[property.name]
        {
          element.property = taken
        }
      }
      if !all.isEmpty { entity.indexes = all }
    }
  }

  private func redirect(_ relationship: RelationshipDescription) {
    guard let name = relationship.destinationEntity?.name, let destination = byName[name] else {
      return
    }
    relationship.destinationEntity = destination
    guard let inverse = relationship.inverseRelationship else { return }
    relationship.inverseRelationship =
      destination.relationshipsByName[inverse.name] ?? inverse
  }
}
