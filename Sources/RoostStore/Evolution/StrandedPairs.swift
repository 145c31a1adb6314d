// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// Determines the relationships whose links into other stores cannot be migrated.
///
/// Such a link is in the store of its first record, and names the second one by a foreign number. Where the other end
/// stores the links in the new version, it would have to go to the store of the other record, which is migrated by
/// itself, or is not even there.
struct StrandedPairs {
  private let moves: [RelationMove]
  private let keptTables: [(source: LinkTable, destination: LinkTable)]
  private let matches: EntityMatches

  init(
    _ moves: [RelationMove], keptTables: [(source: LinkTable, destination: LinkTable)],
    _ matches: EntityMatches
  ) {
    self.moves = moves
    self.keptTables = keptTables
    self.matches = matches
  }

  /// Returns the storages whose pairs of a record of the store and one of another store cannot be migrated.
  func places(in source: StoreSchema) -> [RelationMove.Place] {
    var seen: Set<ObjectIdentifier> = []
    return source.entities.flatMap(\.relationshipsInOrder).compactMap { relationship in
      guard relationship.leadsAcrossStores, seen.insert(ObjectIdentifier(relationship)).inserted
      else { return nil }
      switch relationship.storage {
      case .toOne: return isStranded(.slot(relationship)) ? .slot(relationship) : nil
      case .links(let table, isForward: true):
        return isStranded(.links(table)) ? .links(table) : nil
      case .links, .inverseOfToOne, .transient: return nil
      }
    }
  }

  private func isStranded(_ place: RelationMove.Place) -> Bool {
    let leaving = moves.filter { $0.from.isSame(as: place) }
    guard leaving.isEmpty else {
      // A relationship that becomes its own inverse has each pair in both directions.
      return leaving.contains { $0.isReversed || $0.to.isSymmetric && !place.isSymmetric }
    }
    if case .links(let table) = place, keptTables.contains(where: { $0.source === table }) {
      return false
    }
    let old = place.relationship
    // Both ends of a one-to-one relationship store its pairs.
    if case .toOne = old.maintainedInverse?.storage, old.maintainedInverse !== old { return false }
    return matches.destinations(of: old).contains { new in
      switch new.storage {
      case .inverseOfToOne, .links(_, isForward: false): return true
      case .toOne:
        // The other end of a relationship that becomes one-to-one stores the pairs as well.
        guard case .toOne = new.maintainedInverse?.storage else { return false }
        return new.maintainedInverse !== new
      case .links, .transient: return false
      }
    }
  }
}

extension RelationMove.Place {
  /// The relationship whose sources are the first keys.
  package var relationship: RelationshipDescription {
    switch self {
    case .slot(let relationship): relationship
    case .links(let table): table.relationship
    }
  }

  /// Whether each pair is there in both directions.
  var isSymmetric: Bool {
    guard case .links(let table) = self else { return false }
    return table.isSymmetric
  }
}

extension SchemaChange {
  /// Returns the error for links into other stores that cannot be migrated; nil when there are none.
  ///
  /// - Parameters:
  ///   - keys: The records of this store that have such links, once for each.
  ///   - place: The storage of the links.
  package func refusal(
    ofLinksToOtherStores keys: [Int64], in place: RelationMove.Place
  ) -> PersistenceError? {
    guard !keys.isEmpty else { return nil }
    let relationship = place.relationship
    let entity = relationship.entity?.name ?? ""
    return PersistenceError(
      .migration,
      "\(entity).\(relationship.name) leads to \(keys.count) records of other stores, and the new version keeps "
        + "such links in those stores. Remove the links before the migration, and add them again after it.",
      entityName: entity, key: relationship.name,
      objectIDs: keys.prefix(100).compactMap { source.objectID(forKey: $0) })
  }
}
