// SPDX-License-Identifier: Apache-2.0

extension RelationshipEditor {
  /// Removes all relationship states, and returns their destinations, each object once.
  func takeDestinations() -> ContiguousArray<ManagedObject> {
    guard !owner.links.isEmpty else { return [] }
    var result = ContiguousArray<ManagedObject>()
    for state in owner.links {
      switch state {
      case .unloaded, .toOne(nil): break
      case .toOne(let object?): result.append(object)
      case .toMany(let known):
        result.append(contentsOf: known.members)
        result.append(contentsOf: known.committed)
        result.append(contentsOf: known.added)
        result.append(contentsOf: known.removed.values)
        result.append(contentsOf: known.wantedOrder)
      }
    }
    owner.links = LinkStates()
    return result.count < 2 ? result : ContiguousArray(Set(result))
  }
}
