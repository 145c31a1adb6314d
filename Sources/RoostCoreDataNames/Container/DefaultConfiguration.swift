// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// The configuration of all entities, which each model of Core Data has under this name. In a model of Roost's it is
/// the unnamed one; a program may still define one with this name.
enum DefaultConfiguration {
  static let name = "PF_DEFAULT_CONFIGURATION_NAME"

  /// Returns the name of a configuration in the model; nil for all entities.
  static func own(_ configuration: String?, in model: ManagedObjectModel) -> String? {
    if configuration == name, !model.ownConfigurations.contains(name) { return nil }
    return configuration
  }
}

extension ManagedObjectModel {
  /// The names of the configurations, sorted, including that of all entities, `PF_DEFAULT_CONFIGURATION_NAME`.
  public var configurations: [String] {
    Set(ownConfigurations).union([DefaultConfiguration.name]).sorted()
  }

  /// Returns the entities of a configuration, all entities for nil; nil when there is none with that name.
  public func entities(forConfigurationName configuration: String?) -> [NSEntityDescription]? {
    members(ofConfiguration: DefaultConfiguration.own(configuration, in: self))
  }
}
