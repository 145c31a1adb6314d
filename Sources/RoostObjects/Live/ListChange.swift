// SPDX-License-Identifier: Apache-2.0

package import RoostCoordinator
package import RoostModel

/// How a list of records became another one: who left, who came, and who stayed and was changed. A record that moved
/// has left and come.
package struct ListChange: Sendable {
  /// A record and its place in the list.
  package struct Place: Sendable, Hashable {
    package let offset: Int
    package let id: ObjectID

    package init(offset: Int, id: ObjectID) {
      self.offset = offset
      self.id = id
    }
  }

  /// Those who left, by their places in the old list, ascending.
  package private(set) var removed: [Place]
  /// Those who came, by their places in the new list, ascending.
  package private(set) var inserted: [Place]
  /// Those who were changed and are in the new list.
  package private(set) var refreshed: Set<ObjectID>
  /// Whether the list was made anew, so that all objects are others than before.
  package private(set) var isReset: Bool
  /// The token of the last saves that are in the list; nil where none came with one.
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
  ///   - isTouched: Whether a record was changed: one that was not has not moved, unless all those that it is compared
  ///     with may have.
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

  /// Adds what happened to the list afterwards: the result leads from the first list to the last one.
  ///
  /// - Complexity: O(*d* log *d*) for *d* records that left or came.
  package mutating func append(_ next: ListChange) {
    let middle = inserted
    // Who came and left again was never there.
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
    // Who was not there before is not changed but new.
    let moved = Set(removed.lazy.map(\.id))
    refreshed = refreshed.filter { !came.contains($0) || moved.contains($0) }
  }

  /// Adds records that were changed; one that came is new, unless it has moved.
  package mutating func addRefreshed(_ ids: some Sequence<ObjectID>) {
    let moved = Set(removed.lazy.map(\.id))
    let new = Set(inserted.lazy.map(\.id)).subtracting(moved)
    refreshed.formUnion(ids.lazy.filter { !new.contains($0) })
  }

  /// The change as the standard library has it; who moved is one removal and one insertion that know of each other.
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

  /// Makes the new list of the old one.
  ///
  /// - Parameters:
  ///   - list: The old list of values, one a record.
  ///   - value: Makes the value of a record that came, or was changed.
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

/// Places of a list that are left out, ascending: says which places the others have among themselves.
private struct Ranks {
  private let places: [Int]

  init(_ places: [Int]) {
    self.places = places
  }

  /// How many of the places come before one.
  func count(below place: Int) -> Int {
    var (low, high) = (0, places.count)
    while low < high {
      let middle = (low + high) / 2
      if places[middle] < place { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// The place of the element that has a rank among those which are not left out.
  func place(ofRank rank: Int) -> Int {
    // `places[i] - i` elements that are not left out come before the one at `i`.
    var (low, high) = (0, places.count)
    while low < high {
      let middle = (low + high) / 2
      if places[middle] - middle <= rank { low = middle + 1 } else { high = middle }
    }
    return rank + low
  }
}
