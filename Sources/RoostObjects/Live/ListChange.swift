// SPDX-License-Identifier: Apache-2.0

package import RoostCoordinator
package import RoostModel

/// The difference between two states of a list of records: removals, insertions, and remaining records that were
/// changed. A moved record is a removal and an insertion.
package struct ListChange: Sendable {
  /// A record and its index in the list.
  package struct Place: Sendable, Hashable {
    package let offset: Int
    package let id: ObjectID

    package init(offset: Int, id: ObjectID) {
      self.offset = offset
      self.id = id
    }
  }

  /// The removals, by ascending index in the old list.
  package private(set) var removed: [Place]
  /// The insertions, by ascending index in the new list.
  package private(set) var inserted: [Place]
  /// The changed records that are in the new list.
  package private(set) var refreshed: Set<ObjectID>
  /// Whether the list was rebuilt, so that all objects are new ones.
  package private(set) var isReset: Bool
  /// The token of the last saves included in the list; nil if none had one.
  package var token: PersistentHistoryToken?

  package init(
    removed: [Place] = [], inserted: [Place] = [], refreshed: Set<ObjectID> = [],
    isReset: Bool = false
  ) {
    self.removed = removed
    self.inserted = inserted
    self.refreshed = refreshed
    self.isReset = isReset
  }

  package var isEmpty: Bool {
    removed.isEmpty && inserted.isEmpty && refreshed.isEmpty && !isReset
  }

  /// Compares two lists.
  ///
  /// - Parameters:
  ///   - old: The list before.
  ///   - new: The list now.
  ///   - isTouched: Whether a record was changed. Unchanged records count as moved only if their relative order
  ///     differs.
  /// - Complexity: O(*n* log *n*).
  package init(from old: [ObjectID], to new: [ObjectID], isTouched: (ObjectID) -> Bool) {
    var oldPlaces: [ObjectID: Int] = [:]
    oldPlaces.reserveCapacity(old.count)
    for (place, id) in old.enumerated() { oldPlaces[id] = place }
    let kept = new.compactMap { oldPlaces[$0] }
    let staying = Set(OrderKeeping.longest(kept) { isTouched(old[$0]) })
    self.init()
    for (place, id) in old.enumerated() where !staying.contains(place) {
      removed.append(Place(offset: place, id: id))
    }
    for (place, id) in new.enumerated() {
      let oldPlace = oldPlaces[id]
      if oldPlace.map({ !staying.contains($0) }) ?? true {
        inserted.append(Place(offset: place, id: id))
      }
      if oldPlace != nil, isTouched(id) { refreshed.insert(id) }
    }
  }

  /// Appends a later change: the result leads from the first list to the last one.
  ///
  /// - Complexity: O(*d* log *d*) for *d* removals and insertions.
  package mutating func append(_ next: ListChange) {
    let middle = inserted
    // A record that was inserted and then removed is in neither list.
    let leaving = Set(next.removed.map(\.offset))
    let passing = Set(middle.lazy.map(\.offset).filter { leaving.contains($0) })
    let oldPlaces = Ranks(removed.map(\.offset))
    let middlePlaces = Ranks(middle.map(\.offset))
    let nextRemoved = Ranks(next.removed.map(\.offset))
    let nextInserted = Ranks(next.inserted.map(\.offset))
    removed += next.removed.lazy.filter { !passing.contains($0.offset) }.map { place in
      let rank = place.offset - middlePlaces.count(below: place.offset)
      return Place(offset: oldPlaces.place(ofRank: rank), id: place.id)
    }
    removed.sort { $0.offset < $1.offset }
    inserted =
      next.inserted
      + middle.lazy.filter { !passing.contains($0.offset) }.map { place in
        let rank = place.offset - nextRemoved.count(below: place.offset)
        return Place(offset: nextInserted.place(ofRank: rank), id: place.id)
      }
    inserted.sort { $0.offset < $1.offset }
    refreshed.formUnion(next.refreshed)
    isReset = isReset || next.isReset
    token = token.replaced(by: next.token)
    let came = Set(inserted.lazy.map(\.id))
    let left = Set(removed.lazy.map(\.id)).subtracting(came)
    refreshed.subtract(left)
    // A record that is not in the first list is an insertion, not a change.
    let moved = Set(removed.lazy.map(\.id))
    refreshed = refreshed.filter { !came.contains($0) || moved.contains($0) }
  }

  /// Adds changed records; an inserted record is not counted as changed, unless it has moved.
  package mutating func addRefreshed(_ ids: some Sequence<ObjectID>) {
    let moved = Set(removed.lazy.map(\.id))
    let new = Set(inserted.lazy.map(\.id)).subtracting(moved)
    refreshed.formUnion(ids.lazy.filter { !new.contains($0) })
  }

  /// The change as a `CollectionDifference`; a move is a removal and an insertion that are associated.
  package var difference: CollectionDifference<ObjectID> {
    let newPlaces = Dictionary(inserted.map { ($0.id, $0.offset) }, uniquingKeysWith: { $1 })
    let oldPlaces = Dictionary(removed.map { ($0.id, $0.offset) }, uniquingKeysWith: { $1 })
    let changes: [CollectionDifference<ObjectID>.Change] =
      removed.map {
        .remove(offset: $0.offset, element: $0.id, associatedWith: newPlaces[$0.id])
      }
      + inserted.map {
        .insert(offset: $0.offset, element: $0.id, associatedWith: oldPlaces[$0.id])
      }
    guard let difference = CollectionDifference(changes) else {
      preconditionFailure("Every place of a list is taken once.")
    }
    return difference
  }

  /// Transforms the old list into the new one.
  ///
  /// - Parameters:
  ///   - list: The old list of values, one for each record.
  ///   - value: Creates the value of an inserted or changed record.
  /// - Complexity: O(*n* + *d*).
  package func apply<Value>(
    to list: inout [Value], value: (_ offset: Int) throws -> Value
  ) rethrows {
    var rest: [Value] = []
    rest.reserveCapacity(list.count - removed.count + inserted.count)
    var (leaving, coming) = (removed[...], inserted[...])
    func takeComing() throws {
      while let next = coming.first, next.offset == rest.count {
        rest.append(try value(next.offset))
        coming.removeFirst()
      }
    }
    for (offset, element) in list.enumerated() {
      if leaving.first?.offset == offset {
        leaving.removeFirst()
        continue
      }
      try takeComing()
      rest.append(element)
    }
    try takeComing()
    list = rest
  }
}

/// Omitted indices of a list, ascending: computes the ranks of the remaining indices.
private struct Ranks {
  private let places: [Int]

  init(_ places: [Int]) {
    self.places = places
  }

  /// Returns the number of omitted indices below an index.
  func count(below place: Int) -> Int {
    var (low, high) = (0, places.count)
    while low < high {
      let middle = (low + high) / 2
      if places[middle] < place { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Returns the index of the remaining element with a rank.
  func place(ofRank rank: Int) -> Int {
    // `places[i] - i` remaining elements come before the omitted index `places[i]`.
    var (low, high) = (0, places.count)
    while low < high {
      let middle = (low + high) / 2
      if places[middle] - middle <= rank { low = middle + 1 } else { high = middle }
    }
    return rank + low
  }
}
