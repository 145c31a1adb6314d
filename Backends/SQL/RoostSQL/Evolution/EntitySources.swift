// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// The source entity of each entity of a destination, abstract ones included.
struct EntitySources {
  private var sources: [ObjectIdentifier: EntityDescription] = [:]
  private var destinations: [ObjectIdentifier: EntityDescription] = [:]

  init(_ change: SchemaChange) {
    for (source, destination) in change.renamedEntities { add(source, destination) }
    for entity in change.entities { add(entity.source, entity.destination) }
    var byName: [String: EntityDescription] = [:]
    for entity in change.source.entities { byName[entity.name ?? ""] = entity }
    // An entity that was not renamed has its source by name, unless that is the source of another entity now.
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

  /// Returns the source of an entity; nil for a new one.
  subscript(destination: EntityDescription) -> EntityDescription? {
    sources[ObjectIdentifier(destination)]
  }

  /// Returns the destination of an entity; nil for one that is removed.
  func destination(of source: EntityDescription) -> EntityDescription? {
    destinations[ObjectIdentifier(source)]
  }
}
