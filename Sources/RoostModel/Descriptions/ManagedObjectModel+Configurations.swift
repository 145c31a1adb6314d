// SPDX-License-Identifier: Apache-2.0

// A configuration is a named subset of the entities; subsets may overlap (B16).
extension ManagedObjectModel {
  /// The names of the configurations, sorted.
  @_disfavoredOverload
  public var configurations: [String] {
    entitiesByConfiguration.keys.sorted(by: UTF8Order.isLess)
  }

  /// Returns the entities of a configuration, or nil when there is none with that name; all entities for nil.
  @_disfavoredOverload
  public func entities(forConfigurationName name: String?) -> [EntityDescription]? {
    guard let name else { return entities }
    return entitiesByConfiguration[name]
  }

  /// Makes or replaces a configuration. A copied entity is replaced by the model's entity of the same name.
  ///
  /// - Throws: `modelInUse` when the model is in use, `unknownEntity` when an entity is not part of the model;
  ///   nothing changes then.
  @_disfavoredOverload
  public func setEntities(
    _ entities: [EntityDescription], forConfigurationName name: String
  ) throws {
    try checkEditable()
    let members = Set(self.entities.map(ObjectIdentifier.init))
    let byName = entitiesByName
    entitiesByConfiguration[name] = try entities.map { entity in
      if members.contains(ObjectIdentifier(entity)) { return entity }
      guard let own = entity.name.flatMap({ byName[$0] }) else {
        throw PersistenceError(
          .unknownEntity, "The configuration “\(name)” needs entities of the model.",
          entityName: entity.name)
      }
      return own
    }
  }
}

// MARK: - Templates

extension ManagedObjectModel {
  /// The fetch request templates by name.
  public var fetchRequestTemplatesByName: [String: any ModelFetchRequest] { templates }

  /// Returns the template with a name.
  @_disfavoredOverload
  public func fetchRequestTemplate(forName name: String) -> (any ModelFetchRequest)? {
    templates[name]
  }

  /// Stores a snapshot of a template, or removes it when `request` is nil.
  ///
  /// - Throws: `modelInUse` when the model is in use.
  @_disfavoredOverload
  public func setFetchRequestTemplate(
    _ request: (any ModelFetchRequest)?, forName name: String
  ) throws {
    try checkEditable()
    templates[name] = request?.templateSnapshot
  }
}

// Entry points for the product `RoostCoreDataNames`, whose own methods have the same names.
extension ManagedObjectModel {
  /// The value of `configurations`.
  package var ownConfigurations: [String] { configurations }

  /// Calls `entities(forConfigurationName:)`.
  package func members(ofConfiguration name: String?) -> [EntityDescription]? {
    entities(forConfigurationName: name)
  }

  /// Calls `setEntities(_:forConfigurationName:)`.
  package func configure(_ entities: [EntityDescription], named name: String) throws {
    try setEntities(entities, forConfigurationName: name)
  }

  /// Calls `setFetchRequestTemplate(_:forName:)`.
  package func keepTemplate(_ request: (any ModelFetchRequest)?, named name: String) throws {
    try setFetchRequestTemplate(request, forName: name)
  }

  /// Calls `init(byMerging:)`.
  package convenience init(merging models: [ManagedObjectModel]) throws {
    try self.init(byMerging: models)
  }
}
