// SPDX-License-Identifier: Apache-2.0

// A configuration is a named subset of the entities; subsets may overlap (B16).
extension ManagedObjectModel {
  /// The names of the configurations, sorted.
  public var configurations: [String] {
    entitiesByConfiguration.keys.sorted(by: UTF8Order.isLess)
  }

  /// Returns the entities of a configuration, or nil when there is none with that name; all entities for nil.
  public func entities(forConfigurationName name: String?) -> [EntityDescription]? {
    guard let name else { return entities }
    return entitiesByConfiguration[name]
  }

  /// Makes or replaces a configuration.
  ///
  /// - Throws: `modelInUse` when the model is in use (B1), `unknownEntity` when an entity is not part of the model;
  ///   nothing changes then.
  @_disfavoredOverload
  public func setEntities(
    _ entities: [EntityDescription], forConfigurationName name: String
  ) throws {
    try checkEditable()
    let members = Set(self.entities)
    if let stranger = entities.first(where: { !members.contains($0) }) {
      throw PersistenceError(
        .unknownEntity, "The configuration “\(name)” needs entities of the model.",
        entityName: stranger.name)
    }
    entitiesByConfiguration[name] = entities
  }
}

// MARK: - Templates

extension ManagedObjectModel {
  /// The fetch request templates by name.
  public var fetchRequestTemplatesByName: [String: any ModelFetchRequest] { templates }

  /// Returns the template with a name.
  public func fetchRequestTemplate(forName name: String) -> (any ModelFetchRequest)? {
    templates[name]
  }

  /// Keeps a template as it is now, or removes it when `request` is nil.
  ///
  /// - Throws: `modelInUse` when the model is in use (B1).
  public func setFetchRequestTemplate(
    _ request: (any ModelFetchRequest)?, forName name: String
  ) throws {
    try checkEditable()
    templates[name] = request?.templateSnapshot
  }
}
