// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore

/// The version of the model that a store is opened with, limited to a configuration's entities, for comparison with
/// the version that the store was written with.
struct StoreVersion {
  let model: ManagedObjectModel
  let configuration: String?
  /// The entities of the configuration, superentities before subentities.
  let entities: [EntityDescription]
  let hashes: [String: Data]
  /// The entities that a version hash does not describe completely.
  private let shaped: ShapedEntities

  /// The checksum over the hashes, computed on demand, since opening rarely needs it.
  var checksum: String { ManagedObjectModel.versionChecksum(of: hashes) }

  /// Makes the version for a model and a configuration.
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

  /// Returns the entities that differ from those of a store, by name.
  func differences(from metadata: StoreMetadata) -> [String] {
    let stored = metadata.entityVersionHashes
    return Set(stored.keys).union(hashes.keys).filter { stored[$0] != hashes[$0] }
      .union(shaped.differences(from: metadata)).sorted(by: UTF8Order.isLess)
  }

  /// Whether a store was once of this version, and has since been migrated to a later one (M35).
  func isFormer(of metadata: StoreMetadata) -> Bool {
    guard let former = metadata.formerVersions else { return false }
    return former.contains(checksum) || former.contains(mark)
  }

  /// Returns the string that identifies a version among the former ones when a later version has the same hashes.
  func mark(of shapes: [String: String]) -> String {
    "\(checksum) \(ShapedEntities.digest(shapes.filter { hashes[$0.key] != nil }))"
  }

  /// The string that identifies this version.
  var mark: String {
    mark(
      of: Dictionary(
        entities.compactMap { entity in entity.name.map { ($0, EntityShape(entity).text) } },
        uniquingKeysWith: { first, _ in first }))
  }

  /// Records this version in a store's metadata.
  ///
  /// - Parameter isReadOnly: Whether the store cannot be written, so that no entity shapes are added.
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
    // A read-only store of an earlier version has none.
    if metadata.entityShapes != nil || !isReadOnly { metadata.entityShapes = shapes }
  }

  // MARK: Refusing

  /// Returns the error for a store of another version that is not migrated to this one.
  ///
  /// - Parameter reason: The reason, and what to do about it.
  func refusal(of metadata: StoreMetadata, _ reason: String) -> PersistenceError {
    let different = differences(from: metadata)
    return PersistenceError(
      .persistentStoreIncompatibleVersionHash,
      "The store was written with another version of the model; these entities differ: "
        + different.joined(separator: ", ") + ". " + reason, entityName: different.first)
  }
}
