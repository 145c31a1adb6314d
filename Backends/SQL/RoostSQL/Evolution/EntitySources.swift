// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// What each entity of a destination was in the source, abstract ones included.
struct EntitySources {
  private var sources: [ObjectIdentifier: EntityDescription] = [:]
  private var destinations: [ObjectIdentifier: EntityDescription] = [:]

  init(_ change: SchemaChange) {
    for (source, destination) in change.renamedEntities { add(source, destination) }
    for entity in change.entities { add(entity.source, entity.destination) }
    var byName: [String: EntityDescription] = [:]
    for entity in change.source.entities { byName[entity.name ?? ""] = entity }
    // What was not renamed is what it was called, unless that is another entity now.
    for entity in change.destination.entities where sources[ObjectIdentifier(entity)] == nil {
      guard let source = byName[entity.name ?? ""],
        destinations[ObjectIdentifier(source)] == nil
      else { continue }
      add(source, entity)
    }
  }

  private mutating func add(_ source: EntityDescription, _ destination: EntityDescription) {
    sources[ObjectIdentifier(destination)] = source
    destinations[ObjectIdentifier(source)] = destination
  }

  /// What an entity was; nil for a new one.
  subscript(destination: EntityDescription) -> EntityDescription? {
    sources[ObjectIdentifier(destination)]
  }

  /// What an entity is to be; nil for one that goes.
  func destination(of source: EntityDescription) -> EntityDescription? {
    destinations[ObjectIdentifier(source)]
  }
}
