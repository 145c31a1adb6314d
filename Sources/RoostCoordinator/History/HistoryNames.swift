// SPDX-License-Identifier: Apache-2.0

import Foundation
package import RoostModel
package import RoostStore

/// The properties that the names in a store's history may mean, after migrations that have renamed, exchanged or
/// removed properties.
///
/// A transaction does not say of which version of the model it is. So a name that had different meanings in different
/// versions cannot be resolved, and is ambiguous.
package struct HistoryNames: Sendable {
  /// The text for a removed property in the lists of meanings; no property has an empty name.
  private static let removed = ""

  private let metadata: StoreMetadata

  package init(_ metadata: StoreMetadata) {
    self.metadata = metadata
  }

  /// Whether the store has noted the names of an entity, as the model has it.
  private func meanings(in entity: EntityDescription) -> [String: [String]]? {
    guard let name = entity.name, let known = metadata.historyNames?[name],
      metadata.entityVersionHashes[name] == entity.versionHash
    else { return nil }
    return known
  }

  /// Returns the other names that a property has or had in transactions. Without a note of the store, as in one of an
  /// earlier release, that is its renaming identifier, unless another property has that name now.
  func formerNames(
    of name: String, in entity: EntityDescription, identifier: String?,
    isTaken: (String) -> Bool
  ) -> [String] {
    if let known = meanings(in: entity) {
      return known.compactMap { $1.contains(name) && $0 != name ? $0 : nil }
    }
    guard let identifier, identifier != name, !isTaken(identifier) else { return [] }
    return [identifier]
  }

  /// Whether a property with a name was removed from an entity.
  func hasRemoved(_ name: String, in entity: EntityDescription) -> Bool {
    meanings(in: entity)?[name]?.contains(Self.removed) ?? false
  }

  /// Returns the names that an entity has or had.
  func names(of entity: EntityDescription) -> [String] {
    guard let name = entity.name else { return [] }
    var result = [name]
    if let former = entity.renamingIdentifier, former != name { result.append(former) }
    guard let code = metadata.entityCodes[name], let known = metadata.formerNames else {
      return result
    }
    for (former, owner) in known where owner == code && !result.contains(former) {
      result.append(former)
    }
    return result
  }

  // MARK: - Migrating

  /// Returns the meanings after a migration, as the metadata keep them; nil when each name means the property of that
  /// name.
  ///
  /// - Complexity: Linear in the number of properties, inherited ones included.
  package func migrated(
    from source: [EntityDescription], to destination: [EntityDescription]
  ) -> [String: [String: [String]]]? {
    guard metadata.keepsHistory else { return nil }
    let earlier = EarlierNames(from: source, to: destination)
    var entities: [String: EntityDescription] = [:]
    for entity in source { entities[entity.name ?? ""] = entity }
    var result: [String: [String: [String]]] = [:]
    for entity in destination {
      guard let name = entity.name, let pair = earlier[name], let former = pair.name,
        let old = entities[former]
      else { continue }
      var followers: [String: String] = [:]
      for (new, old) in pair.properties { followers[old] = new }
      let meanings = Self.advanced(
        metadata.historyNames?[former] ?? [:], Self.propertyNames(of: old), followers)
      result[name] = meanings.isEmpty ? nil : meanings
    }
    return result.isEmpty ? nil : result
  }

  private static func advanced(
    _ known: [String: [String]], _ names: Set<String>, _ followers: [String: String]
  ) -> [String: [String]] {
    var result: [String: Set<String>] = [:]
    for (name, meanings) in known {
      result[name] = Set(meanings.map { followers[$0] ?? removed })
    }
    for name in names { result[name, default: []].insert(followers[name] ?? removed) }
    return result.compactMapValues { $0.sorted() }.filter { $1 != [$0] }
  }

  /// The names of all properties, and of the elements of composites, dotted.
  private static func propertyNames(of entity: EntityDescription) -> Set<String> {
    var names = Set(entity.attributesInOrder.map(\.name))
    names.formUnion(entity.relationshipsInOrder.map(\.name))
    for case .attribute(_, let name) in entity.layout.contents { names.insert(name) }
    return names
  }
}

extension PersistenceError {
  /// Returns the error for a name in a history that had different meanings in different versions of the model.
  static func historyNameIsAmbiguous(
    _ name: String, in entity: EntityDescription?, store: String
  ) -> PersistenceError {
    pastIsUnknown(
      "The name “\(name)” means different properties in different transactions, because of a "
        + "migration.",
      store: store, entityName: entity?.name, key: name)
  }
}
