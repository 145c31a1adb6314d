// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension RelationshipReader {
  /// Returns the destinations, within the same store, that are known without a query.
  func knownDestinationsWithinStore() -> [ManagedObject] {
    var result: [ManagedObject] = []
    guard !owner.links.isEmpty else { return result }
    for relationship in owner.binding.relationships where !relationship.leadsAcrossStores {
      switch owner.links[relationship.ordinal] {
      case .unloaded, .toOne(nil): break
      case .toOne(let object?): result.append(object)
      case .toMany(let links):
        result.append(contentsOf: links.isLoaded ? Array(links.members) : links.added)
      }
    }
    return result
  }
}
