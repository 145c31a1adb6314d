// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension ReadErrors {
  /// Reads objects with read failures again, including their relationships; on success, their failures are cleared.
  ///
  /// - Throws: The error of the store; the failures stay then.
  /// - Complexity: One query for the values and one for each relationship; none without failures.
  func readAgain(_ ids: [ObjectID]) throws {
    guard !context.unthrown.readFailures.isEmpty else { return }
    let failed = ids.filter { context.unthrown.readFailures.contains($0) }
    guard !failed.isEmpty else { return }
    let saved = failed.filter { !$0.isTemporaryID || context.parentContext != nil }
    if !saved.isEmpty {
      context.statistics.roundTrips += 1
      _ = try context.upstream.source().rows(for: saved, stalenessInterval: 0)
    }
    var sources: [ObjectIdentifier: (RelationshipDescription, [ManagedObject])] = [:]
    for id in failed {
      let object = context.object(with: id)
      for name in context.unthrown.readFailures.relationships(of: id) {
        guard let relationship = object.binding.relationship(named: name), relationship.isToMany,
          object.related.hasUnloadedDestinations(relationship)
        else { continue }
        sources[ObjectIdentifier(relationship), default: (relationship, [])].1.append(object)
      }
    }
    for (relationship, objects) in sources.values {
      try context.loader.loadDestinations(of: relationship, for: objects)
    }
    context.unthrown.readFailures.forget(Set(failed))
  }
}
