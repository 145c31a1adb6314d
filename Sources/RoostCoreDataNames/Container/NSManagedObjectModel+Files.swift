// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostModel
public import RoostQuery

extension ManagedObjectModel {
  /// Reads a model that was made with Xcode; nil when it cannot be read. To get the reason, use
  /// ``ManagedObjectModel/versionNames(at:)`` and `init(contentsOf:version:)`, which throw.
  ///
  /// - Parameter url: An `.xcdatamodeld` or `.xcdatamodel`. If the file does not exist, one with the same base name
  ///   is read: for `Library.momd`, `Library.xcdatamodeld` beside it.
  public convenience init?(contentsOf url: URL) {
    ClassNames.noteModule(ofResource: url)
    try? self.init(readFrom: ModelResources.source(of: url))
  }

  /// Merges models into one; nil when they contradict each other.
  public convenience init?(byMerging models: [NSManagedObjectModel]) {
    do {
      try self.init(merging: models)
    } catch {
      return nil
    }
  }

  /// Merges models into the one with which a store was written; nil when they contradict each other, or the store was
  /// written with another one.
  ///
  /// - Parameters:
  ///   - models: The models.
  ///   - metadata: The metadata of the store, by Core Data's keys.
  public convenience init?(
    byMerging models: [NSManagedObjectModel], forStoreMetadata metadata: [String: Any]
  ) {
    self.init(byMerging: models)
    guard isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata) else { return nil }
  }

  /// Reads and merges all models of bundles, or of the program for nil, into the one with which a store was written;
  /// nil when they contradict each other, or the store was written with another one.
  ///
  /// - Parameters:
  ///   - bundles: The bundles.
  ///   - metadata: The metadata of the store, by Core Data's keys.
  public static func mergedModel(
    from bundles: [Bundle]?, forStoreMetadata metadata: [String: Any]
  ) -> NSManagedObjectModel? {
    guard let model = mergedModel(from: bundles),
      model.isConfiguration(withName: nil, compatibleWithStoreMetadata: metadata)
    else { return nil }
    return model
  }

  /// Reads and merges all models of bundles, those of the program for nil; nil when there are none, or they contradict
  /// each other.
  public static func mergedModel(from bundles: [Bundle]?) -> NSManagedObjectModel? {
    for bundle in bundles ?? [] { ClassNames.noteModule(ofResource: bundle.bundleURL) }
    return try? ManagedObjectModel.merged(from: bundles)
  }

  /// Adds or replaces a configuration. A model that is in use, or an entity of another model, stops the program.
  public func setEntities(
    _ entities: [NSEntityDescription], forConfigurationName configuration: String
  ) {
    orEnd { try configure(entities, named: configuration) }
  }

  /// Returns whether the metadata of a store match the entities of a configuration.
  public func isConfiguration(
    withName configuration: String?, compatibleWithStoreMetadata metadata: [String: Any]
  ) -> Bool {
    let hashes = metadata[NSStoreModelVersionHashesKey] as? [String: Data] ?? [:]
    return isConfiguration(
      withName: DefaultConfiguration.own(configuration, in: self),
      compatibleWithStoreMetadata: hashes)
  }
}

// MARK: - Fetch request templates

extension ManagedObjectModel {
  /// Stores a copy of a template, or removes it for nil. A model that is in use stops the program.
  public func setFetchRequestTemplate(
    _ fetchRequestTemplate: NSFetchRequest<any NSFetchRequestResult>?, forName name: String
  ) {
    orEnd { try keepTemplate(fetchRequestTemplate, named: name) }
  }

  /// Returns the template with a name.
  public func fetchRequestTemplate(
    forName name: String
  ) -> NSFetchRequest<any NSFetchRequestResult>? {
    orEnd { try fetchRequestTemplate(forName: name, as: (any NSFetchRequestResult).self) }
  }

  /// Returns a copy of the template with a name, with its variables replaced by values. A variable without a value
  /// stops the program.
  public func fetchRequestFromTemplate(
    withName name: String, substitutionVariables variables: [String: Any]
  ) -> NSFetchRequest<any NSFetchRequestResult>? {
    orEnd {
      try fetchRequestFromTemplate(
        withName: name, substitutionVariables: variables, as: (any NSFetchRequestResult).self)
    }
  }
}
