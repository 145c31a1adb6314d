// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostObjects

/// The difference between old and new fetched results: insertions, removals, moves and updates (B317).
struct FetchedResultsDifference<ResultType: ManagedObject> {
  typealias Section = FetchedResultsSection<ResultType>

  /// The change of one object, in the form for a delegate.
  struct Change {
    var object: ResultType
    var from: IndexPath?
    var to: IndexPath?
    var type: FetchedResultsChangeType
  }

  /// The change of one section.
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
  /// - Parameter touched: The objects that were changed; others keep their relative order, unless objects that they
  ///   are related to were changed.
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

  /// The new results, for a delegate or for another task.
  var snapshot: FetchedResultsSnapshot {
    FetchedResultsSnapshot(
      newSections,
      changed: Set(changes.lazy.filter { $0.type != .delete }.map(\.object.objectID)))
  }

  /// Insertions and removals of IDs; a move is an associated pair.
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
      // Its objects were removed or are in another section now (B349).
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
