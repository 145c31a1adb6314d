// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// The data that model changes remove from a store, with counts, through one version or several.
struct LossCount {
  /// The entity and property names that an entity has in the store's version.
  private struct Origin {
    let entity: String
    var properties: [String: String]
  }

  private let census: StoreCensus
  private var origins: [String: Origin] = [:]
  private(set) var losses: [MigrationPlan.Loss] = []

  /// Makes a count for the entities of the store's version.
  init(_ census: StoreCensus, _ entities: [EntityDescription]) {
    self.census = census
    for entity in entities {
      guard let name = entity.name else { continue }
      origins[name] = Origin(
        entity: name,
        properties: Dictionary(
          entity.properties.flatMap { Self.names($0, "") }.map { ($0, $0) },
          uniquingKeysWith: { first, _ in first }))
    }
  }

  /// The name of a property, and the dotted ones of its elements.
  private static func names(_ property: PropertyDescription, _ path: String) -> [String] {
    let name = path + property.name
    let elements = (property as? CompositeAttributeDescription)?.elements ?? []
    return [name] + elements.flatMap { names($0, "\(name).") }
  }

  /// Counts the data that the step to the next version removes.
  ///
  /// - Parameter isKept: Whether the program preserves the data of a lossy change.
  mutating func add(
    _ difference: ModelDifference, isKept: (ModelChange) -> Bool = { _ in false }
  ) throws {
    for change in difference.changes where change.isLossy && !isKept(change) {
      let count = try count(change, difference)
      guard count > 0 else { continue }
      let name = change.key.map { "\(change.entityName).\($0)" } ?? change.entityName
      losses.append(MigrationPlan.Loss(name: name, count: count))
    }
    var next: [String: Origin] = [:]
    for pair in difference.entities {
      guard let name = pair.destination.name, let old = origins[pair.source?.name ?? ""] else {
        continue
      }
      var properties: [String: String] = [:]
      for property in pair.properties {
        if let source = property.sourceName {
          properties[property.destination.name] = old.properties[source] ?? source
        }
        for element in property.elements {
          guard let source = element.sourceName else { continue }
          properties[element.destinationName] = old.properties[source] ?? source
        }
      }
      next[name] = Origin(entity: old.entity, properties: properties)
    }
    origins = next
  }

  private func count(_ change: ModelChange, _ difference: ModelDifference) throws -> Int {
    guard let key = change.key else {
      return try origins[change.entityName].map { try census.records(of: $0.entity) } ?? 0
    }
    return try holders(of: change, difference).reduce(0) { sum, entity in
      let pair = difference.pair(forSource: entity)
      let known = pair?.properties.first { $0.destination.name == key }?.sourceName
      let origin = origins[entity.name ?? ""]
      // An attribute that has become transient is not among the stored ones.
      let identifier = pair?.destination.propertiesByName[key]?.renamingIdentifier
      guard let origin,
        let old = origin.properties[known ?? key] ?? identifier.flatMap({ origin.properties[$0] })
      else {
        // The store has no values of an attribute that an earlier step has added.
        return sum
      }
      return try sum + census.values(of: old, in: origin.entity)
    }
  }

  /// Returns the entities of the old version whose records a change may affect; none is a subentity of another.
  private func holders(
    of change: ModelChange, _ difference: ModelDifference
  ) -> [EntityDescription] {
    if let pair = difference.entities.first(where: { $0.destination.name == change.entityName }) {
      if let source = pair.source { return [source] }
      return difference.entities.compactMap { one in
        let above = sequence(first: one.destination) { $0.superentity }.dropFirst()
        return above.contains { $0 === pair.destination } ? one.source : nil
      }
    }
    return difference.removedEntities.filter { $0.name == change.entityName }
  }
}
