// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostObjects

/// How fetched results differ from what they were: who came, went, moved or was changed (B317).
struct FetchedResultsDifference<ResultType: ManagedObject> {
  typealias Section = FetchedResultsSection<ResultType>

  /// One object's change, as a delegate hears of it.
  struct Change {
    var object: ResultType
    var from: IndexPath?
    var to: IndexPath?
    var type: FetchedResultsChangeType
  }

  /// One section's change.
  struct SectionChange {
    var section: Section
    var index: Int
    var type: FetchedResultsChangeType
  }

  let old: [ResultType]
  let oldSections: [Section]
  let new: [ResultType]
  let newSections: [Section]
  /// Deletions, then insertions, moves and updates.
  private(set) var changes: [Change] = []
  private(set) var sectionChanges: [SectionChange] = []

  /// Compares results.
  ///
  /// - Parameter touched: The objects that were changed; others keep their order among each other, unless what they are
  ///   related to was changed.
  init(
    from: (objects: [ResultType], sections: [Section]),
    to: (objects: [ResultType], sections: [Section]), touched: Set<ObjectIdentifier>
  ) {
    (old, oldSections) = (from.objects, from.sections)
    (new, newSections) = (to.objects, to.sections)
    compareSections()
    compareObjects(touched)
  }

  var isEmpty: Bool { changes.isEmpty && sectionChanges.isEmpty }

  /// The results as they are now, for a delegate or for another task.
  var snapshot: FetchedResultsSnapshot {
    FetchedResultsSnapshot(
      newSections,
      changed: Set(changes.lazy.filter { $0.type != .delete }.map(\.object.objectID)))
  }

  /// What came and went, as IDs; a moved object does both.
  var identifiers: CollectionDifference<ObjectID> {
    let places: [CollectionDifference<ObjectID>.Change] = changes.flatMap { change in
      let id = change.object.objectID
      let moves = change.type == .move
      let removal = change.from.map {
        CollectionDifference<ObjectID>.Change.remove(
          offset: oldSections[$0[0]].start + $0[1], element: id,
          associatedWith: moves ? change.to.map { newSections[$0[0]].start + $0[1] } : nil)
      }
      let insertion = change.to.map {
        CollectionDifference<ObjectID>.Change.insert(
          offset: newSections[$0[0]].start + $0[1], element: id,
          associatedWith: moves ? change.from.map { oldSections[$0[0]].start + $0[1] } : nil)
      }
      return change.type == .update ? [] : [removal, insertion].compactMap { $0 }
    }
    guard let difference = CollectionDifference(places) else {
      preconditionFailure("Every place of a difference is taken once.")
    }
    return difference
  }
}

// MARK: - Comparing

extension FetchedResultsDifference {
  private mutating func compareSections() {
    let oldNames = Set(oldSections.map(\.name))
    let newNames = Set(newSections.map(\.name))
    for (index, section) in oldSections.enumerated() where !newNames.contains(section.name) {
      // What was in it has gone or is in another section now (B349).
      let empty = Section(
        name: section.name, indexTitle: section.indexTitle, start: section.start, results: [])
      sectionChanges.append(SectionChange(section: empty, index: index, type: .delete))
    }
    for (index, section) in newSections.enumerated() where !oldNames.contains(section.name) {
      sectionChanges.append(SectionChange(section: section, index: index, type: .insert))
    }
  }

  private mutating func compareObjects(_ touched: Set<ObjectIdentifier>) {
    var oldPlaces: [ObjectIdentifier: Int] = [:]
    for (place, object) in old.enumerated() { oldPlaces[ObjectIdentifier(object)] = place }
    let kept = new.compactMap { oldPlaces[ObjectIdentifier($0)] }
    let keptPlaces = Set(kept)
    for (place, object) in old.enumerated() where !keptPlaces.contains(place) {
      let from = Section.indexPath(ofPlace: place, in: oldSections)
      changes.append(Change(object: object, from: from, to: nil, type: .delete))
    }
    let staying = Set(OrderKeeping.longest(kept) { touched.contains(ObjectIdentifier(old[$0])) })
    for (place, object) in new.enumerated() {
      let to = Section.indexPath(ofPlace: place, in: newSections)
      guard let oldPlace = oldPlaces[ObjectIdentifier(object)] else {
        changes.append(Change(object: object, from: nil, to: to, type: .insert))
        continue
      }
      let from = Section.indexPath(ofPlace: oldPlace, in: oldSections)
      if !staying.contains(oldPlace) || oldSections[from[0]].name != newSections[to[0]].name {
        changes.append(Change(object: object, from: from, to: to, type: .move))
      } else if touched.contains(ObjectIdentifier(object)) {
        changes.append(Change(object: object, from: from, to: nil, type: .update))
      }
    }
  }
}

/// Finds out who has kept their order when some have moved.
enum OrderKeeping {
  /// Returns an ascending subsequence that holds all numbers that cannot have moved, and as many others as possible.
  ///
  /// - Parameters:
  ///   - numbers: Different numbers.
  ///   - mayHaveMoved: Whether a number can be left out. When the others do not ascend, any can.
  /// - Complexity: O(*n* log *n*); O(*n*) when the numbers ascend already.
  static func longest(_ numbers: [Int], mayHaveMoved: (Int) -> Bool) -> [Int] {
    if zip(numbers, numbers.dropFirst()).allSatisfy({ $0 < $1 }) { return numbers }
    let fixed = numbers.filter { !mayHaveMoved($0) }
    guard zip(fixed, fixed.dropFirst()).allSatisfy({ $0 < $1 }) else { return longest(numbers) }
    // Objects that cannot have moved stay; between two of them, as many of the others as stand between them in both.
    var result: [Int] = []
    var pending: [Int] = []
    var low = Int.min
    func close(below high: Int) {
      result += longest(pending.filter { $0 > low && $0 < high })
      pending = []
      low = high
    }
    for number in numbers {
      if mayHaveMoved(number) {
        pending.append(number)
      } else {
        close(below: number)
        result.append(number)
      }
    }
    close(below: .max)
    return result
  }

  private static func longest(_ numbers: [Int]) -> [Int] {
    var tails: [Int] = []
    var before = [Int](repeating: -1, count: numbers.count)
    for (index, number) in numbers.enumerated() {
      var (low, high) = (0, tails.count)
      while low < high {
        let middle = (low + high) / 2
        if numbers[tails[middle]] < number { low = middle + 1 } else { high = middle }
      }
      if low > 0 { before[index] = tails[low - 1] }
      if low == tails.count { tails.append(index) } else { tails[low] = index }
    }
    var result: [Int] = []
    var index = tails.last ?? -1
    while index >= 0 {
      result.append(numbers[index])
      index = before[index]
    }
    return result.reversed()
  }
}
