// SPDX-License-Identifier: Apache-2.0

extension RelationshipReader {
  /// The destinations of all relationships, as far as they are known without asking a store.
  func knownDestinations() -> [ManagedObject] {
    var result: [ManagedObject] = []
    for state in owner.links {
      switch state {
      case .unloaded, .toOne(nil): break
      case .toOne(let object?): result.append(object)
      case .toMany(let links):
        result.append(contentsOf: links.isLoaded ? Array(links.members) : links.added)
      }
    }
    return result
  }
}
