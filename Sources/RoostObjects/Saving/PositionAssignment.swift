// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// Assigns positions to the destinations of ordered relationships: numbers with gaps, so that a move writes one row
/// (B81).
enum PositionAssignment {
  /// The distance between two positions, and the first position, as in Core Data's files.
  static let spacing: Int64 = 1024
  static let first: Int64 = 2048

  /// Assigns positions to all destinations of changed ordered relationships.
  ///
  /// - Parameter assigned: The positions assigned by this save, to be taken back when it is refused.
  static func assign(
    in context: ManagedObjectContext, noting assigned: inout AssignedPositions
  ) throws(PersistenceError) {
    guard context.changes.mayHaveOrder else { return }
    var changed = ContiguousArray<ManagedObject>()
    context.changes.entries.forEachHeld { object in
      if object.binding.hasOrderedRelationships { changed.append(object) }
    }
    for object in changed {
      guard !object.links.isEmpty, !object.flags.contains(.deleted) else { continue }
      for relationship in object.binding.relationships where relationship.isOrdered {
        guard case .toMany(let links) = object.links[relationship.ordinal], links.hasChanges else {
          continue
        }
        if !links.isLoaded { try context.loader.loadDestinations(of: relationship, for: [object]) }
        var kept = links.storedPositionsOfMembers()
        if !context.saving.restoredPositions.isEmpty {
          kept = context.saving.restoredPositions.positions(
            of: links.members, stored: kept, in: relationship, of: object)
        }
        let positions = newPositions(keeping: kept)
        assigned.assign(positions, to: links)
        if case .inverseOfToOne(_, let slot?) = relationship.storage {
          try write(positions, of: links, at: slot, in: context, &assigned)
        }
      }
    }
  }

  /// Writes positions into the destinations' rows, if the relationship's inverse is to-one.
  private static func write(
    _ positions: [Int64], of links: ToManyLinks, at slot: RowSlot,
    in context: ManagedObjectContext, _ assigned: inout AssignedPositions
  ) throws(PersistenceError) {
    let stored = links.storedPositionsOfMembers()
    var moved = ContiguousArray<ManagedObject>()
    var places: [Int] = []
    for (index, member) in links.members.enumerated()
    where isOther(positions[index], than: stored[index], of: member, at: slot) {
      moved.append(member)
      places.append(index)
    }
    try context.loader.realize(moved)
    for (member, index) in zip(moved, places) {
      assigned.write(positions[index], into: member, at: slot, of: links)
    }
  }

  /// Whether a position has to be written into the row of a member. A row that has another one than the store, from an
  /// attempt to save whose outcome is unknown, must not keep it.
  private static func isOther(
    _ position: Int64, than stored: Int64?, of member: ManagedObject, at slot: RowSlot
  ) -> Bool {
    guard member.changedSlots.contains(slot.index), let row = member.row else {
      return stored != position
    }
    return row.isNull(slot) || row.integer(slot) != position
  }

  /// Reads the ordered relationships whose new order awaits their destinations, which a merge has discarded.
  static func readPendingOrders(in context: ManagedObjectContext) throws(PersistenceError) {
    guard context.changes.mayHaveOrder else { return }
    for case let object? in context.changes.entries
    where object.binding.hasOrderedRelationships && !object.links.isEmpty
      && !object.flags.contains(.deleted)
    {
      for relationship in object.binding.relationships where relationship.isOrdered {
        guard case .toMany(let links) = object.links[relationship.ordinal],
          !links.wantedOrder.isEmpty
        else { continue }
        try context.loader.loadDestinations(of: relationship, for: [object])
      }
    }
  }

  /// Returns ascending positions that keep as many of the old ones as possible; if a gap is too small, all are new.
  ///
  /// - Parameter old: The old position of each destination in the new order; nil for a new one.
  static func newPositions(keeping old: [Int64?]) -> [Int64] {
    let kept = longestAscendingRun(old)
    var result = [Int64](repeating: 0, count: old.count)
    var index = 0
    var previous: Int64?
    while index < old.count {
      if kept.contains(index), let position = old[index] {
        result[index] = position
        previous = position
        index += 1
        continue
      }
      var end = index
      while end < old.count, !kept.contains(end) { end += 1 }
      let next = end < old.count ? old[end] : nil
      guard let gap = spread(end - index, after: previous, before: next) else {
        return old.indices.map { first + Int64($0) * spacing }
      }
      for (offset, position) in gap.enumerated() { result[index + offset] = position }
      previous = gap.last
      index = end
    }
    return result
  }

  /// Returns positions for a gap; nil when the gap has no room, or the positions would overflow.
  private static func spread(_ count: Int, after previous: Int64?, before next: Int64?) -> [Int64]?
  {
    let room = Int64(count + 1) * spacing
    guard let next else {
      let low = previous ?? first - spacing
      guard !low.addingReportingOverflow(room).overflow else { return nil }
      return (1...count).map { low + Int64($0) * spacing }
    }
    let lowest = next.subtractingReportingOverflow(room)
    guard let low = previous ?? (lowest.overflow ? nil : lowest.partialValue) else { return nil }
    let distance = next.subtractingReportingOverflow(low)
    guard !distance.overflow else { return nil }
    let step = distance.partialValue / Int64(count + 1)
    guard step > 0 else { return nil }
    return (1...count).map { low + Int64($0) * step }
  }

  /// Returns the indices of a longest ascending subsequence of the old positions, which can stay.
  private static func longestAscendingRun(_ old: [Int64?]) -> Set<Int> {
    var tails: [Int] = []
    var predecessors = [Int?](repeating: nil, count: old.count)
    for (index, position) in old.enumerated() {
      guard let position else { continue }
      var low = 0
      var high = tails.count
      while low < high {
        let middle = (low + high) / 2
        if (old[tails[middle]] ?? .min) < position { low = middle + 1 } else { high = middle }
      }
      predecessors[index] = low > 0 ? tails[low - 1] : nil
      if low == tails.count { tails.append(index) } else { tails[low] = index }
    }
    var result = Set<Int>()
    var current = tails.last
    while let index = current {
      result.insert(index)
      current = predecessors[index]
    }
    return result
  }
}

extension ToManyLinks {
  /// Returns the members whose position a save changes, with the new one.
  func changedPositions() -> [(ManagedObject, Int64)] {
    let stored = storedPositionsOfMembers()
    var result: [(ManagedObject, Int64)] = []
    for (index, member) in members.enumerated() where index < assignedPositions.count {
      if stored[index] != assignedPositions[index] {
        result.append((member, assignedPositions[index]))
      }
    }
    return result
  }
}
