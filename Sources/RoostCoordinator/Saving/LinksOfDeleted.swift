// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// The links in other stores to deleted records. Links in the store of a record are deleted with it; a store that
/// only refers to it must be told.
struct LinksOfDeleted {
  let list: StoreList

  /// Calls a body with each store and the changes that remove its links.
  ///
  /// - Complexity: At most two round trips for each link table and store that refers to one of the records.
  func forEach(
    of deleted: [ObjectID], _ body: (AttachedStore, [LinkChange]) throws -> Void
  ) throws {
    guard list.stores.count > 1, let model = list.stores.first?.schema.model,
      model.hasRelationshipsAcrossStores, !deleted.isEmpty
    else { return }
    for table in model.linkTables where table.relationship.leadsAcrossStores {
      guard let entity = table.relationship.destinationEntity else { continue }
      let ends = deleted.filter { $0.entity.isKindOf(entity: entity) }
      guard !ends.isEmpty else { continue }
      for store in list.stores where store.holdsAny(of: table.relationship.entity) {
        let changes = try links(to: ends.filter { !store.holds(recordOf: $0) }, table, store)
        if !changes.isEmpty { try body(store, changes) }
      }
    }
  }

  private func links(
    to ends: [ObjectID], _ table: LinkTable, _ store: AttachedStore
  ) throws -> [LinkChange] {
    guard !ends.isEmpty else { return [] }
    let keys = try store.knownKeys(ofDestinations: ends).compactMap(\.self)
    guard !keys.isEmpty else { return [] }
    let back = table.isSymmetric ? table.relationship : table.backwards
    let found = try store.destinations(of: back, forSources: keys)
    return keys.indices.flatMap { index in
      found[source: index].map {
        LinkChange(table: table, source: $0, destination: keys[index], kind: .unlink)
      }
    }
  }
}
