// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostModel

extension MappingModel {
  /// Reads a mapping model made with Xcode, as its source (`.xcmappingmodel`) or compiled (`.cdm`), or one written by
  /// ``jsonData()`` (`.json`).
  ///
  /// ```swift
  /// let mapping = try MappingModel(contentsOf: URL(filePath: "1to2.xcmappingmodel"))
  /// ```
  /// - Parameter url: The folder or file.
  /// - Throws: ``PersistenceError`` with code `invalidModel`, whose message names the place, `invalidPredicate` for an
  ///   expression that cannot be read, `limitExceeded`.
  @_disfavoredOverload
  public convenience init(contentsOf url: URL) throws {
    try self.init(readFrom: url)
  }

  /// The implementation of ``init(contentsOf:)``, under a name that no other module hides.
  package convenience init(readFrom url: URL) throws {
    if url.pathExtension == "json" {
      let data: Data
      do {
        data = try Data(contentsOf: url)
      } catch {
        throw PersistenceError(
          .invalidModel, "The file \(url.lastPathComponent) cannot be read.", underlying: error)
      }
      try self.init(jsonData: data)
      return
    }
    let file = try MappingFile(contentsOf: url)
    self.init(entityMappings: try file.entities.map { try EntityMapping($0) })
  }

  /// Finds the mapping model that leads from one model to another among the resources of bundles.
  ///
  /// - Parameters:
  ///   - bundles: The bundles; nil for the program's own.
  ///   - sourceModel: The earlier model; nil for any.
  ///   - destinationModel: The later one; nil for any.
  /// - Returns: nil when there is none. Files that cannot be read are passed over.
  public convenience init?(
    from bundles: [Bundle]?, forSourceModel sourceModel: ManagedObjectModel?,
    destinationModel: ManagedObjectModel?
  ) {
    let folders = (bundles ?? [.main]).map { $0.resourceURL ?? $0.bundleURL }
    self.init(in: folders, from: sourceModel, to: destinationModel)
  }

  /// Finds the mapping model in folders.
  convenience init?(
    in folders: [URL], from sourceModel: ManagedObjectModel?,
    to destinationModel: ManagedObjectModel?
  ) {
    for url in Self.files(in: folders) {
      guard let found = try? MappingModel(readFrom: url),
        found.leads(from: sourceModel, to: destinationModel)
      else { continue }
      self.init(entityMappings: found.entityMappings)
      return
    }
    return nil
  }

  /// The files of mapping models among the resources of bundles, the compiled ones first: these name version hashes.
  private static func files(in folders: [URL]) -> [URL] {
    var result: [URL] = []
    for folder in folders {
      guard let names = try? FileManager.default.contentsOfDirectory(atPath: folder.path) else {
        continue
      }
      for suffix in [".cdm", ".roostmapping.json", ".xcmappingmodel"] {
        result += names.filter { $0.hasSuffix(suffix) }.sorted().map { folder.appending(path: $0) }
      }
    }
    return result
  }
}

extension EntityMapping {
  /// Makes a mapping from its decoded file.
  fileprivate convenience init(_ file: MappingFile.Entity) throws {
    self.init()
    name = file.name
    guard let type = EntityMappingType(rawValue: file.type) else {
      throw PersistenceError(
        .invalidModel, "The mapping \(file.name) is of an unknown type, \(file.type).")
    }
    mappingType = type
    sourceEntityName = file.source
    destinationEntityName = file.destination
    sourceEntityVersionHash = file.sourceHash
    destinationEntityVersionHash = file.destinationHash
    entityMigrationPolicyClassName = file.policy
    sourceExpression = try file.sourceExpression.map { try MappingExpression(format: $0) }
    attributeMappings = try file.attributes.map { try PropertyMapping($0) }
    relationshipMappings = try file.relationships.map { try PropertyMapping($0) }
    userInfo = file.userInfo.isEmpty ? nil : file.userInfo
  }
}

extension PropertyMapping {
  /// Makes a mapping from its decoded file.
  fileprivate convenience init(_ file: MappingFile.Property) throws {
    self.init(
      name: file.name,
      valueExpression: try file.expression.map { try MappingExpression(format: $0) })
    isAutomatic = file.isAutomatic
    userInfo = file.userInfo.isEmpty ? nil : file.userInfo
  }
}
