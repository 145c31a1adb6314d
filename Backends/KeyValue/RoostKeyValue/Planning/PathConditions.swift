// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery
import RoostStore

/// Rewrites conditions on to-one relationship paths as conditions on the row itself: `department.name == "X"` becomes
/// `department IN` the departments that an index of names finds.
struct PathConditions {
  let schema: KeyValueSchema
  let snapshot: any KeyValueSnapshot

  /// More destinations are not gathered: following each row's relationship is as good then.
  private static let limit = 2000

  private struct Destinations {
    var keys: [Int64]
    var isExact: Bool
    var indexes: [String]
  }

  /// Adds the conditions that indexes of other entities can resolve.
  ///
  /// - Returns: The names of the used indexes by condition part.
  func extend(_ conditions: inout RequestConditions) throws -> [Int: [String]] {
    var indexes: [Int: [String]] = [:]
    for (number, part) in conditions.parts.enumerated() {
      guard case .comparison(let comparison) = part else { continue }
      let turned = RequestConditions.pathOnTheLeft(comparison)
      guard case .path(let path) = turned.left, let slots = toOneSlots(of: path),
        let first = slots.first,
        let found = try destinations(of: path, slots, turned)
      else { continue }
      let codes = found.keys.map { key in
        var bytes: [UInt8] = []
        KeyEncoding.appendInteger(key, to: &bytes)
        return bytes
      }
      conditions.add(
        .any(of: codes), onOffset: first.offset, part: number, isExact: found.isExact)
      indexes[number] = found.indexes
    }
    return indexes
  }

  /// The slots of a path's relationships, when all are to-one and every row of their entities has them.
  private func toOneSlots(of path: ResolvedPath) -> [RowSlot]? {
    guard path.root == .object, path.endGuard == nil, !path.relationships.isEmpty,
      case .attribute = path.end
    else { return nil }
    var slots: [RowSlot] = []
    for (step, relationship) in path.relationships.enumerated() {
      guard case .toOne(let slot) = relationship.storage, path.guardEntity(ofStep: step) == nil
      else { return nil }
      slots.append(slot)
    }
    return slots
  }

  /// Returns the records to which the first relationship must lead; nil when no index can tell.
  private func destinations(
    of path: ResolvedPath, _ slots: [RowSlot], _ comparison: ResolvedComparison
  ) throws -> Destinations? {
    guard case .attribute(_, let slot) = path.end, let last = path.relationships.last,
      let entity = last.destinationEntity,
      let condition = SlotCondition(
        slot, comparison, store: schema.schema.identity.identifier),
      // A row without a destination has nil there too, and no index of the destinations contains such rows.
      !condition.contains([KeyEncoding.null]),
      var found = try records(of: entity, slot, condition)
    else { return nil }
    for step in slots.indices.dropFirst().reversed() {
      guard let owner = path.relationships[step - 1].destinationEntity,
        let index = schema.inverseIndex(of: slots[step], in: owner),
        let sources = try keys(of: index, in: found.keys.map { RelationshipReader.range(of: $0) })
      else { return nil }
      found.keys = sources
      found.indexes.append(index.name)
    }
    return found
  }

  /// The records of an entity that an index finds by one slot.
  private func records(
    of entity: EntityDescription, _ slot: RowSlot, _ condition: SlotCondition
  ) throws -> Destinations? {
    let codes = entity.concreteEntities.compactMap { schema.schema.code(of: $0) }
    guard let first = codes.first else { return nil }
    for number in schema.indexes(forEntityCode: first) {
      let index = schema.indexes[number]
      guard let component = index.components.first, component.slot.offset == slot.offset,
        index.purpose != .words, index.conditions.isEmpty, schema.isBuilt(index),
        codes.allSatisfy(index.covers(code:))
      else { continue }
      let ranges = condition.ranges(after: [], isDescending: component.isDescending)
        .map { index.cutting($0) }
      guard let keys = try keys(of: index, in: ranges) else { return nil }
      return Destinations(keys: keys, isExact: !index.canCut, indexes: [index.name])
    }
    return nil
  }

  /// The record keys of ranges; nil when they are too many.
  private func keys(of index: IndexDefinition, in ranges: [KeyRange]) throws -> [Int64]? {
    var keys: [Int64] = []
    for range in ranges where keys.count <= Self.limit {
      try snapshot.scanKeys(of: index.table, in: range, descending: false) { chunk in
        keys += chunk
        return keys.count <= Self.limit
      }
    }
    return keys.count <= Self.limit ? keys : nil
  }
}
