// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostModel
import RoostStore

/// Finds the destinations of to-many relationships by looking at everything.
struct ReferenceLinks {
  let content: ReferencePlace.Content
  let schema: StoreSchema

  private struct Destination {
    var key: Int64
    var position: Int64?

    static func precedes(_ left: Destination, _ right: Destination) -> Bool {
      let (leftPosition, rightPosition) = (left.position ?? .min, right.position ?? .min)
      return (leftPosition, left.key) < (rightPosition, right.key)
    }
  }

  func destinations(
    of relationship: RelationshipDescription, for sources: [Int64]
  ) -> RelationshipDestinations {
    let found = destinations(of: relationship, wanted: Set(sources))
    var result = RelationshipDestinations(offsets: [0], keys: [])
    for source in sources {
      for destination in (found[source] ?? []).sorted(by: Destination.precedes) {
        result.keys.append(destination.key)
        if relationship.isOrdered { result.positions.append(destination.position ?? 0) }
      }
      result.offsets.append(result.keys.count)
    }
    return result
  }

  private func destinations(
    of relationship: RelationshipDescription, wanted: Set<Int64>
  ) -> [Int64: [Destination]] {
    switch relationship.storage {
    case .inverseOfToOne: destinationsInRows(of: relationship, wanted: wanted)
    case .links(let table, let isForward): destinations(in: table, isForward, wanted: wanted)
    case .toOne, .transient: [:]
    }
  }

  /// The destinations' rows name their source.
  private func destinationsInRows(
    of relationship: RelationshipDescription, wanted: Set<Int64>
  ) -> [Int64: [Destination]] {
    var result: [Int64: [Destination]] = [:]
    guard let inverse = relationship.maintainedInverse, let carrier = inverse.entity else {
      return result
    }
    let position = SlotContent.position(relationship).name
    for (key, record) in content.records {
      guard let entity = schema.entity(ofKey: key), entity.isKindOf(entity: carrier),
        let source = Self.number(record.values[inverse.name]), wanted.contains(source)
      else { continue }
      result[source, default: []].append(
        Destination(key: key, position: Self.number(record.values[position])))
    }
    return result
  }

  private func destinations(
    in table: LinkTable, _ isForward: Bool, wanted: Set<Int64>
  ) -> [Int64: [Destination]] {
    var result: [Int64: [Destination]] = [:]
    for (link, positions) in content.links[table.name] ?? [:] {
      let (source, destination) =
        isForward ? (link.source, link.destination) : (link.destination, link.source)
      guard wanted.contains(source) else { continue }
      result[source, default: []].append(
        Destination(
          key: destination, position: isForward ? positions.forward : positions.backward))
    }
    return result
  }

  private static func number(_ value: Value?) -> Int64? {
    guard case .integer(let number) = value else { return nil }
    return number
  }
}
