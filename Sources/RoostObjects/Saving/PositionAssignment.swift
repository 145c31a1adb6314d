// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// Assigns positions to the destinations of ordered relationships: numbers with gaps, so that a move writes one row
/// (B81).
enum PositionAssignment {
  /// The distance between two positions, and the first position, as in Core Data's files.
  static let spacing: Int64 = 1024
  static let first: Int64 = 2048

  /// Assigns positions to all destinations of changed ordered relationships.
  static func assign(in context: ManagedObjectContext) throws(PersistenceError) {
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
        links.assignedPositions = positions
        if case .inverseOfToOne(_, let slot?) = relationship.storage {
          try write(positions, of: links, at: slot, in: context)
        }
      }
    }
  }

  /// Writes positions into the destinations' rows, if the relationship's inverse is to-one.
  private static func write(
    _ positions: [Int64], of links: ToManyLinks, at slot: RowSlot,
    in context: ManagedObjectContext
  ) throws(PersistenceError) {
    let stored = links.storedPositionsOfMembers()
    var moved = ContiguousArray<ManagedObject>()
    for (index, member) in links.members.enumerated() where stored[index] != positions[index] {
      moved.append(member)
    }
    try context.loader.realize(moved)
    for (index, member) in links.members.enumerated() where stored[index] != positions[index] {
      guard let memory = member.willWrite(slot) else { continue }
      RowMemory.store(positions[index], memory, slot)
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
