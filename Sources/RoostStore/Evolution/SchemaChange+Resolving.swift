// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension SchemaChange {
  /// Resolves a difference.
  ///
  /// - Parameters:
  ///   - source: The store's schema as it was written.
  ///   - destination: The schema that the store is migrated to, with the source's codes for the remaining entities.
  ///   - metadata: The metadata that the store must still have.
  ///   - pairs: The pairs of matching entities.
  package init(
    source: StoreSchema, destination: StoreSchema, metadata: StoreMetadata, pairs: [EntityMatch]
  ) {
    let matches = EntityMatches(pairs)
    let resolved = destination.entities.compactMap { entity -> EntityChange? in
      guard !entity.isAbstract, let code = destination.code(of: entity),
        let match = matches[entity], !match.source.isAbstract
      else { return nil }
      return EntityChange(match, code: code, matches)
    }
    let relations = RelationMoves(matches).all(to: destination)
    let entities = StaleDerivations(
      source: source, destination: destination, entities: resolved, moves: relations.moves,
      matches: matches
    ).computed()
    let kept = Set(entities.map { ObjectIdentifier($0.source) })
    self.init(
      source: source, destination: destination, metadata: metadata, entities: entities,
      removedEntities: source.entities.filter {
        !$0.isAbstract && !kept.contains(ObjectIdentifier($0))
      },
      moves: relations.moves, keptLinkTables: relations.keptTables,
      strandedPlaces: StrandedPairs(
        relations.moves, keptTables: relations.keptTables, matches
      ).places(in: source),
      renamedEntities: pairs.filter { $0.source.name != $0.destination.name }
        .map { ($0.source, $0.destination) })
  }
}
