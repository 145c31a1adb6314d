// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostModel

// Models that Xcode keeps in files, as their source or compiled.
extension ManagedObjectModel {
  /// Reads a model that was made with Xcode: an `.xcdatamodeld` (its current version), an `.xcdatamodel`, or its file
  /// `contents`; or a compiled `.momd` or `.mom`.
  ///
  /// The model can be edited until it is used. Classes are not looked up by name: set them with `setClasses(_:)`.
  ///
  /// ```swift
  /// let model = try ManagedObjectModel(contentsOf: URL(filePath: "Library.xcdatamodeld"))
  /// ```
  ///
  /// - Parameter url: The folder or file.
  /// - Throws: ``PersistenceError`` with code `invalidModel`, whose message names the file, the line and the column,
  ///   or the object of a compiled model; `limitExceeded` for a file of more than 32 MB.
  /// - Complexity: Linear in the size of the file.
  @_disfavoredOverload
  public convenience init(contentsOf url: URL) throws {
    try self.init(readFrom: url)
  }

  /// Calls ``mergedModel(from:)``, under a name that no other module shadows.
  package static func merged(from bundles: [Bundle]?) throws -> ManagedObjectModel? {
    try mergedModel(from: bundles)
  }

  /// Does the same as ``init(contentsOf:)``, under a name that no other module shadows.
  package convenience init(readFrom url: URL) throws {
    self.init()
    try ModelFiles(at: url).read(nil, into: self, parser: .formats)
  }

  /// Reads the model that Core Data keeps in a store, compressed.
  ///
  /// - Parameters:
  ///   - bytes: The content of the table `Z_MODELCACHE`.
  ///   - name: Its name in errors.
  /// - Throws: `corruptStore`, `invalidModel`, `limitExceeded`.
  package convenience init(storeCache bytes: [UInt8], name: String) throws {
    self.init()
    try fill(fromStoreCache: bytes, name: name, parser: .formats)
  }

  /// Reads one version of a model that was made with Xcode.
  ///
  /// - Parameters:
  ///   - url: The `.xcdatamodeld` or `.momd`.
  ///   - versionName: The name of the version, as in ``versionNames(at:)``.
  /// - Throws: ``PersistenceError`` with code `invalidModel`, also when there is no such version.
  public convenience init(contentsOf url: URL, version versionName: String) throws {
    self.init()
    try ModelFiles(at: url).read(versionName, into: self, parser: .formats)
  }

  /// Returns the names of all versions of a model that was made with Xcode, such as `Library`, `Library 2`.
  ///
  /// ```swift
  /// for name in try ManagedObjectModel.versionNames(at: url) {
  ///   let version = try ManagedObjectModel(contentsOf: url, version: name)
  /// }
  /// ```
  /// - Throws: ``PersistenceError`` with code `invalidModel`.
  public static func versionNames(at url: URL) throws -> [String] {
    try ModelFiles(at: url).versionNames
  }

  /// Returns the name of the version that ``init(contentsOf:)`` reads.
  ///
  /// - Throws: ``PersistenceError`` with code `invalidModel`.
  public static func currentVersionName(at url: URL) throws -> String {
    try ModelFiles(at: url).currentVersionName()
  }

  /// Reads all models in the resources of bundles and merges them.
  ///
  /// - Parameter bundles: The bundles; nil for the program's own.
  /// - Returns: The model; nil when there is none in any of the bundles.
  /// - Throws: ``PersistenceError`` with code `invalidModel` when a model cannot be read, or two define one name
  ///   differently.
  @_disfavoredOverload
  public static func mergedModel(from bundles: [Bundle]?) throws -> ManagedObjectModel? {
    let models = try modelURLs(in: bundles ?? [.main]).map {
      try ManagedObjectModel(contentsOf: $0)
    }
    return models.isEmpty ? nil : try ManagedObjectModel(byMerging: models)
  }

  /// Reads all models in the resources of bundles and merges them, if the result matches a store.
  ///
  /// - Parameters:
  ///   - bundles: The bundles; nil for the program's own.
  ///   - hashes: The version hashes of the store's metadata, by entity.
  /// - Returns: The model; nil when there is none or it does not fit.
  /// - Throws: ``PersistenceError`` with code `invalidModel`.
  @_disfavoredOverload
  public static func mergedModel(
    from bundles: [Bundle]?, forStoreMetadata hashes: [String: Data]
  ) throws -> ManagedObjectModel? {
    guard let model = try mergedModel(from: bundles),
      model.isConfiguration(withName: nil, compatibleWithStoreMetadata: hashes)
    else { return nil }
    return model
  }

  /// Returns the models in the resources of bundles, sorted by path. A model with both source and compiled form
  /// counts once.
  static func modelURLs(in bundles: [Bundle]) -> [URL] {
    var result: [URL] = []
    for bundle in bundles {
      guard let folder = bundle.resourceURL ?? bundle.bundleURL as URL?,
        let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path)
      else { continue }
      var known: Set<String> = []
      for suffix in [".xcdatamodeld", ".xcdatamodel", ".momd", ".mom"] {
        for name in names where name.hasSuffix(suffix) {
          guard known.insert(String(name.dropLast(suffix.count))).inserted else { continue }
          result.append(folder.appending(path: name))
        }
      }
    }
    return result.sorted { $0.path < $1.path }
  }
}

extension ModelTextParser {
  /// A parser for Core Data's format language.
  static let formats = ModelTextParser(
    predicate: { try FetchPredicate(format: $0, argumentArray: []) },
    expression: { try FetchExpression(format: $0, argumentArray: []) },
    derivation: { try FetchExpression(format: $0, argumentArray: []).derivationForm },
    request: { try FetchCriteria($0) })
}

extension FetchCriteria {
  /// Makes criteria from a request in a model file.
  fileprivate init(_ text: ModelRequestText) throws {
    let type = FetchRequestResultType(rawValue: UInt(clamping: text.resultType))
    self.init(entityName: text.entity.name, resultType: type)
    predicate = try text.predicate.map { try FetchPredicate(format: $0, argumentArray: []) }
    fetchLimit = text.fetchLimit
    fetchBatchSize = text.fetchBatchSize
    includesSubentities = text.includesSubentities
    includesPropertyValues = text.includesPropertyValues
    includesPendingChanges = text.includesPendingChanges
    returnsObjectsAsFaults = text.returnsObjectsAsFaults
    returnsDistinctResults = text.returnsDistinctResults
  }
}
