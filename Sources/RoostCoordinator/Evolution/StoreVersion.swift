// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore

/// The version of a model that a store is opened with, as far as a configuration's entities go, beside the version that
/// the store was written with.
struct StoreVersion {
  let model: ManagedObjectModel
  let configuration: String?
  /// The entities of the configuration, superentities before subentities.
  let entities: [EntityDescription]
  let hashes: [String: Data]
  /// The entities of which a version hash does not tell everything.
  private let shaped: ShapedEntities

  /// The checksum over the hashes, which hardly any opening asks for.
  var checksum: String { ManagedObjectModel.versionChecksum(of: hashes) }

  /// The version that a description opens its store with.
  ///
  /// - Throws: `persistentStoreIncompatibleSchema` when the model has no such configuration.
  init(_ model: ManagedObjectModel, configuration: String?) throws {
    self.model = model
    self.configuration = configuration
    entities = try model.storedEntities(ofConfiguration: configuration)
    hashes = model.entityVersionHashes(forConfigurationName: configuration) ?? [:]
    shaped = ShapedEntities(entities)
  }

  /// Whether a store is new or of this version.
  func matches(_ metadata: StoreMetadata) -> Bool {
    metadata.entityVersionHashes.isEmpty
      || metadata.entityVersionHashes == hashes && shaped.differences(from: metadata).isEmpty
  }

  /// The entities that are not the same in a store, by name.
  func differences(from metadata: StoreMetadata) -> [String] {
    let stored = metadata.entityVersionHashes
    return Set(stored.keys).union(hashes.keys).filter { stored[$0] != hashes[$0] }
      .union(shaped.differences(from: metadata)).sorted(by: UTF8Order.isLess)
  }

  /// Whether a store was of this version once, and has been brought to a later one (M35).
  func isFormer(of metadata: StoreMetadata) -> Bool {
    guard let former = metadata.formerVersions else { return false }
    return former.contains(checksum) || former.contains(mark)
  }

  /// What stands for a version among the former ones when the next one has the same hashes.
  func mark(of shapes: [String: String]) -> String {
    "\(checksum) \(ShapedEntities.digest(shapes.filter { hashes[$0.key] != nil }))"
  }

  /// What stands for this version.
  var mark: String {
    mark(
      of: Dictionary(
        entities.compactMap { entity in entity.name.map { ($0, EntityShape(entity).text) } },
        uniquingKeysWith: { first, _ in first }))
  }

  /// Writes down in a store's metadata that it is of this version.
  ///
  /// - Parameter isReadOnly: Whether nothing can be added to what the store says.
  func note(in metadata: inout StoreMetadata, isReadOnly: Bool) {
    let isSame = metadata.entityVersionHashes == hashes
    let changed = Set(
      isSame ? shaped.differences(from: metadata) : differences(from: metadata))
    if !isSame || metadata.versionChecksum.isEmpty {
      metadata.entityVersionHashes = hashes
      metadata.versionChecksum = checksum
    }
    metadata.versionIdentifiers = model.versionIdentifiers.sorted()
    var shapes = metadata.entityShapes ?? [:]
    for entity in entities {
      guard let name = entity.name, shapes[name] == nil || changed.contains(name) else { continue }
      shapes[name] = EntityShape(entity).text
    }
    // A store of an earlier version that is only read has none.
    if metadata.entityShapes != nil || !isReadOnly { metadata.entityShapes = shapes }
  }

  // MARK: Refusing

  /// The error of a store that is of another version and is not brought to this one.
  ///
  /// - Parameter reason: Why not, and what to do.
  func refusal(of metadata: StoreMetadata, _ reason: String) -> PersistenceError {
    let different = differences(from: metadata)
    return PersistenceError(
      .persistentStoreIncompatibleVersionHash,
      "The store was written with another version of the model; these entities differ: "
        + different.joined(separator: ", ") + ". " + reason, entityName: different.first)
  }
}
