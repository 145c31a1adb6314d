// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostModel
public import RoostQuery

extension ManagedObjectModel {
  /// Reads a model that was made with Xcode; nil when it cannot be read. To learn why, use
  /// ``ManagedObjectModel/versionNames(at:)`` and `init(contentsOf:version:)`, which throw.
  ///
  /// - Parameter url: An `.xcdatamodeld` or `.xcdatamodel`. Where there is no such file, one that is called alike is
  ///   read: for `Library.momd`, `Library.xcdatamodeld` beside it.
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

  /// Reads and merges all models of bundles, those of the program for nil, into the one with which a store was written;
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

  /// Makes or replaces a configuration. A model that is in use, and an entity of another model end the program.
  public func setEntities(
    _ entities: [NSEntityDescription], forConfigurationName configuration: String
  ) {
    orEnd { try configure(entities, named: configuration) }
  }

  /// Whether the metadata of a store are those of a configuration's entities.
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
  /// Keeps a template as it is now, or removes it for nil. A model that is in use ends the program.
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

  /// Returns a copy of the template with a name, with values in the place of its variables. A variable without a
  /// value ends the program.
  public func fetchRequestFromTemplate(
    withName name: String, substitutionVariables variables: [String: Any]
  ) -> NSFetchRequest<any NSFetchRequestResult>? {
    orEnd {
      try fetchRequestFromTemplate(
        withName: name, substitutionVariables: variables, as: (any NSFetchRequestResult).self)
    }
  }
}
