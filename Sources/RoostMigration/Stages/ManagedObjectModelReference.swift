// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostCoordinator
public import RoostModel
import RoostQuery
import Synchronization

/// A version of a model that is read when a migration needs it, and not before.
///
/// ```swift
/// let version2 = ManagedObjectModelReference(
///   name: "Library 2", in: .module, versionChecksum: "9a02…=")
/// ```
public final class ManagedObjectModelReference: Sendable {
  /// Where the model is.
  private enum Place: Sendable {
    case model(ManagedObjectModel)
    case file(URL)
    case resource(String, URL?)
    case hashes([String: Data], URL?)
  }

  /// The checksum that the model has.
  public let versionChecksum: String
  private let place: Place
  private let resolved = Mutex<ManagedObjectModel?>(nil)

  /// Refers to a model in memory.
  ///
  /// - Parameters:
  ///   - model: The model.
  ///   - versionChecksum: The required checksum.
  public init(model: ManagedObjectModel, versionChecksum: String) {
    place = .model(model)
    self.versionChecksum = versionChecksum
  }

  /// Refers to a model in a file, as an `.xcdatamodeld`, an `.xcdatamodel`, an `.momd` or an `.mom`; of one with
  /// several versions, to that with the checksum.
  ///
  /// - Parameters:
  ///   - fileURL: The file or folder.
  ///   - versionChecksum: The checksum that the model must have.
  public init(fileURL: URL, versionChecksum: String) {
    place = .file(fileURL)
    self.versionChecksum = versionChecksum
  }

  /// Refers to a model among the resources of a bundle.
  ///
  /// - Parameters:
  ///   - modelName: The name of the model, or of one of its versions.
  ///   - bundle: The bundle; nil for the program's own.
  ///   - versionChecksum: The checksum that the model must have.
  public init(name modelName: String, in bundle: Bundle?, versionChecksum: String) {
    place = .resource(modelName, Self.folder(of: bundle))
    self.versionChecksum = versionChecksum
  }

  /// Refers to the model with some version hashes among the resources of a bundle.
  ///
  /// - Parameters:
  ///   - versionHashes: The version hash of each entity.
  ///   - bundle: The bundle; nil for the program's own.
  ///   - versionChecksum: The checksum that the model must have.
  public init(
    entityVersionHashes versionHashes: [String: Data], in bundle: Bundle?, versionChecksum: String
  ) {
    place = .hashes(versionHashes, Self.folder(of: bundle))
    self.versionChecksum = versionChecksum
  }

  private static func folder(of bundle: Bundle?) -> URL? {
    let bundle = bundle ?? .main
    return bundle.resourceURL ?? bundle.bundleURL
  }

  /// The model, which is read at the first access.
  ///
  /// - Throws: ``PersistenceError`` with code `stagedMigrationUnknownVersion` when there is none, or it has another
  ///   checksum.
  @_disfavoredOverload
  public var resolvedModel: ManagedObjectModel {
    get throws { try foundModel() }
  }

  /// The implementation of ``resolvedModel``, under a name that no other module hides.
  package func foundModel() throws -> ManagedObjectModel {

    try resolved.withLock { known in
      if let known { return known }
      let model = try find()
      known = model
      return model
    }
  }

  private func find() throws -> ManagedObjectModel {
    var found: [ManagedObjectModel] = []
    do {
      switch place {
      case .model(let model): found = [model]
      case .file(let url): found = try ModelFolder.versions(at: url)
      case .resource(let name, let folder):
        for url in ModelFolder.models(in: folder) {
          if url.deletingPathExtension().lastPathComponent == name {
            found += try ModelFolder.versions(at: url)
          } else if try ManagedObjectModel.versionNames(at: url).contains(name) {
            found.append(try ManagedObjectModel(contentsOf: url, version: name))
          }
        }
      case .hashes(let hashes, let folder):
        for url in ModelFolder.models(in: folder) {
          found += try ModelFolder.versions(at: url).filter {
            $0.entityVersionHashesByName == hashes
          }
        }
      }
    } catch {
      throw PersistenceError(
        .stagedMigrationUnknownVersion,
        "The model of the version \(versionChecksum) cannot be read.", underlying: error)
    }
    if let model = found.first(where: { $0.versionChecksum == versionChecksum }) { return model }
    throw PersistenceError(
      .stagedMigrationUnknownVersion,
      found.isEmpty
        ? "There is no model of the version \(versionChecksum) where its reference says."
        : "The reference of the version \(versionChecksum) leads to a model of another one: "
          + found.map(\.versionChecksum).joined(separator: ", ") + ".")
  }
}
