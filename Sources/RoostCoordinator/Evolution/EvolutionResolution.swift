// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore

/// The difference between a store's version and a model, resolved for the store: entity codes, schemas, and the
/// metadata of the store after the migration.
struct EvolutionResolution {
  let difference: ModelDifference
  let change: SchemaChange
  let metadata: StoreMetadata

  /// Resolves the difference.
  ///
  /// - Throws: `inferredMappingModel` when it cannot be inferred, `limitExceeded` when there are more entities than
  ///   codes, `persistentStoreIncompatibleSchema` for derived attributes that cannot be kept up to date,
  ///   `transformation` for a default that cannot be encoded.
  init(
    version: StoreVersion, source: ManagedObjectModel, metadata: StoreMetadata,
    identity: StoreIdentity, policy: EvolutionPolicy
  ) throws {
    let old = source.entities.filter {
      metadata.entityVersionHashes[$0.name ?? ""] != nil
    }
    difference = try ModelDifference(
      from: old, to: version.entities,
      allowsLosslessTypeChanges: policy.allowsLosslessTypeChanges)
    var target = metadata
    let renamed = difference.entities.compactMap { pair -> (old: String, new: String)? in
      guard let old = pair.source?.name, let new = pair.destination.name, old != new else {
        return nil
      }
      return (old, new)
    }
    let names = Set(version.entities.compactMap(\.name))
    target.entityCodes = try EntityCodes.assign(
      known: metadata.entityCodes, names: version.entities.compactMap(\.name), renamed: renamed,
      replaced: difference.removedEntities.compactMap(\.name).filter(names.contains))
    target.formerNames = Self.formerNames(metadata, renamed, target.entityCodes)
    target.historyNames = HistoryNames(metadata).migrated(from: old, to: version.entities)
    target.entityShapes = metadata.entityShapes?.filter {
      target.entityVersionHashes[$0.key] != nil
    }
    version.note(in: &target, isReadOnly: false)
    target.epoch = (metadata.epoch ?? 0) + 1
    target.keepsModel = true
    target.deferredSteps = nil
    target.formerVersions = Self.formerVersions(metadata, version)
    self.metadata = target
    let schema = try StoreSchema(
      identity: identity, model: version.model, configuration: version.configuration,
      codes: target.entityCodes,
      modelText: { [model = version.model] in try CanonicalModel(model).bytes })
    _ = try schema.derivations()
    change = SchemaChange(
      source: StoreSchema(
        identity: identity, model: source, entities: old, codes: metadata.entityCodes),
      destination: schema, metadata: metadata, pairs: difference.matches)
    try change.checkDefaults()
  }

  /// Returns the former names of entities that no current entity has.
  private static func formerNames(
    _ metadata: StoreMetadata, _ renamed: [(old: String, new: String)], _ codes: [String: Int]
  ) -> [String: Int]? {
    var names = metadata.formerNames ?? [:]
    for (old, new) in renamed { names[old] = codes[new] }
    names = names.filter { codes[$0.key] == nil }
    return names.isEmpty ? nil : names
  }

  /// The maximum number of versions that a store remembers.
  private static let versionLimit = 256

  private static func formerVersions(
    _ metadata: StoreMetadata, _ version: StoreVersion
  ) -> [String] {
    var former = metadata.formerVersions ?? []
    let mark = version.mark
    if let place = former.firstIndex(of: version.checksum) {
      // The store returns to an earlier version: the versions after it are no longer former ones.
      former.removeSubrange(place...)
    } else if let place = former.firstIndex(of: mark) {
      former.removeSubrange(place...)
    } else if metadata.versionChecksum == version.checksum {
      // The hashes are equal: only the entity shapes tell the two versions apart.
      former.append(version.mark(of: metadata.entityShapes ?? [:]))
    } else {
      former.append(metadata.versionChecksum)
    }
    return Array(former.suffix(versionLimit))
  }
}

extension ModelDifference {
  /// The pairs of entities that exist in both versions, as the store's schema change needs them.
  fileprivate var matches: [EntityMatch] {
    entities.compactMap { pair in
      guard let source = pair.source else { return nil }
      return EntityMatch(
        source, pair.destination, properties: pair.properties.flatMap(\.matches))
    }
  }
}

extension ModelDifference.PropertyPair {
  /// The match of the property, or the matches of a composite attribute's elements, with their sources.
  fileprivate var matches: [EntityMatch.PropertyMatch] {
    guard elements.isEmpty else {
      return elements.compactMap { element in
        element.source.map {
          EntityMatch.PropertyMatch(
            $0, element.destination, sourceName: element.sourceName,
            destinationName: element.destinationName, conversion: element.conversion)
        }
      }
    }
    return source.map {
      [
        EntityMatch.PropertyMatch(
          $0, destination, sourceName: sourceName, conversion: conversion, isComputed: isComputed)
      ]
    } ?? []
  }
}
