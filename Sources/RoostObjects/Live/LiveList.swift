// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The results of a live query in their order, those before an offset, and some more behind them where only so many are
/// wanted: those move up when a result leaves.
struct LiveList {
  /// How many records behind the wanted ones are kept.
  static let margin = 32
  /// How many records before the wanted ones are kept. Results behind more are fetched anew for each change.
  static let greatestOffset = 256

  private let judge: LiveJudge
  /// How many results are wanted at the most; nil for all.
  let limit: Int?
  /// How many records before the results are kept, too: what comes or goes among them moves the results.
  let offset: Int
  private(set) var kept: [ManagedObject] = []
  private(set) var members: Set<ObjectIdentifier> = []
  /// Whether there are no results behind the kept ones.
  private var isComplete = true

  init(_ judge: LiveJudge, limit: Int?, offset: Int = 0) {
    self.judge = judge
    self.offset = offset
    // So many there are not.
    self.limit = limit.flatMap { $0 > Int.max - offset - 2 * Self.margin ? nil : $0 }
  }

  /// How many records a fetch asks for; nil for all.
  var fetchLimit: Int? { wanted.map { $0 + Self.margin } }

  /// How many records up to the last wanted one there are; nil for all.
  private var wanted: Int? { limit.map { offset + $0 } }

  /// The results.
  var elements: [ManagedObject] {
    if limit == nil, offset == 0 { return kept }
    return Array(kept.prefix(wanted ?? kept.count).dropFirst(offset))
  }

  /// Takes what was fetched.
  mutating func replace(with fetched: [ManagedObject]) {
    kept = fetched
    for object in fetched { object.isLiveResult = true }
    members = Set(fetched.lazy.map { ObjectIdentifier($0) })
    isComplete = fetchLimit.map { fetched.count < $0 } ?? true
  }

  mutating func removeAll() {
    replace(with: [])
  }

  /// Goes back to what was kept before objects could not be taken to their places.
  mutating func restore(_ earlier: [ManagedObject]) {
    kept = earlier
    members = Set(earlier.lazy.map { ObjectIdentifier($0) })
  }

  /// What became of objects that were judged.
  struct Verdicts {
    /// Those that are results now.
    var matching: [ManagedObject] = []
    /// The members that were judged.
    var judged: [ManagedObject] = []
    /// The members that were changed.
    var refreshed: [ManagedObject] = []
  }

  /// Takes judged objects to their places.
  ///
  /// - Returns: How the results changed; nil when too few are known by now, and the results have to be fetched anew.
  /// - Complexity: O(*k* log *n*) comparisons for *k* judged objects and *n* results, and O(*n*) moves of references.
  mutating func take(_ verdicts: Verdicts) throws -> ListChange? {
    let refreshed = verdicts.refreshed
    guard limit != nil || offset > 0 else {
      var change = try move(verdicts)
      let present = refreshed.filter { members.contains(ObjectIdentifier($0)) }
      change.addRefreshed(present.map(\.identity.current))
      return change
    }
    let before = elements.map(\.identity.current)
    _ = try move(verdicts)
    if let wanted {
      guard isComplete || kept.count >= wanted else { return nil }
      if kept.count > wanted + 2 * Self.margin {
        for object in kept[(wanted + Self.margin)...] { members.remove(ObjectIdentifier(object)) }
        kept.removeSubrange((wanted + Self.margin)...)
        isComplete = false
      }
    }
    let touched = Set(refreshed.lazy.map(\.identity.current))
    return ListChange(from: before, to: elements.map(\.identity.current)) { touched.contains($0) }
  }

  /// Takes judged objects out and puts those that match in again.
  private mutating func move(_ verdicts: Verdicts) throws -> ListChange {
    let leaving = places(of: verdicts.judged)
    let left = leaving.map { kept[$0] }
    remove(at: leaving)
    let arriving = try verdicts.matching.sorted { try judge.isOrderedBefore($0, $1) }
    var ranks: [Int] = []
    var low = 0
    for object in arriving {
      low = try place(of: object, from: low)
      ranks.append(low)
    }
    // What comes behind the last known record of an incomplete list is not known to be next.
    let known = isComplete ? arriving.count : ranks.firstIndex { $0 == kept.count } ?? ranks.count
    insert(arriving[..<known], at: ranks)
    for object in left { members.remove(ObjectIdentifier(object)) }
    for object in arriving[..<known] {
      members.insert(ObjectIdentifier(object))
      object.isLiveResult = true
    }
    return Self.change(left, leaving, Array(arriving[..<known]), ranks)
  }

  /// The places of members, ascending.
  private func places(of objects: [ManagedObject]) -> [Int] {
    guard !objects.isEmpty else { return [] }
    let sought = Set(objects.lazy.map { ObjectIdentifier($0) })
    var found: [Int] = []
    if let only = sought.first, sought.count == 1 {
      if let place = kept.firstIndex(where: { ObjectIdentifier($0) == only }) { found = [place] }
      return found
    }
    for (place, object) in kept.enumerated() where sought.contains(ObjectIdentifier(object)) {
      found.append(place)
    }
    return found
  }

  private mutating func remove(at places: [Int]) {
    if places.count < 8 {
      for place in places.reversed() { kept.remove(at: place) }
      return
    }
    var next = places[...]
    var rest: [ManagedObject] = []
    rest.reserveCapacity(kept.count - places.count)
    for (place, object) in kept.enumerated() {
      if next.first == place { next.removeFirst() } else { rest.append(object) }
    }
    kept = rest
  }

  /// Inserts objects in order, each before the one that has its rank.
  private mutating func insert(_ objects: ArraySlice<ManagedObject>, at ranks: [Int]) {
    if objects.count < 8 {
      for (index, object) in objects.enumerated() { kept.insert(object, at: ranks[index] + index) }
      return
    }
    var rest: [ManagedObject] = []
    rest.reserveCapacity(kept.count + objects.count)
    var start = 0
    for (index, object) in objects.enumerated() {
      rest += kept[start..<ranks[index]]
      rest.append(object)
      start = ranks[index]
    }
    rest += kept[start...]
    kept = rest
  }

  /// How many kept records come before an object.
  private func place(of object: ManagedObject, from start: Int) throws -> Int {
    var (low, high) = (start, kept.count)
    while low < high {
      let middle = (low + high) / 2
      if try judge.isOrderedBefore(kept[middle], object) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Who left and who came. One that came between the same two records as it left from has not moved, unless those that
  /// it stood there with have other places among each other.
  private static func change(
    _ left: [ManagedObject], _ places: [Int], _ arrived: [ManagedObject], _ ranks: [Int]
  ) -> ListChange {
    var indices: [ObjectIdentifier: Int] = [:]
    for (index, object) in left.enumerated() { indices[ObjectIdentifier(object)] = index }
    let candidates = zip(arrived, ranks).compactMap { object, rank -> Int? in
      guard let index = indices[ObjectIdentifier(object)], places[index] - index == rank else {
        return nil
      }
      return index
    }
    let staying = Set(OrderKeeping.longest(candidates) { _ in true })
    var removed: [ListChange.Place] = []
    for (index, object) in left.enumerated() where !staying.contains(index) {
      removed.append(ListChange.Place(offset: places[index], id: object.identity.current))
    }
    var inserted: [ListChange.Place] = []
    for (index, object) in arrived.enumerated() {
      if let old = indices[ObjectIdentifier(object)], staying.contains(old) { continue }
      inserted.append(ListChange.Place(offset: ranks[index] + index, id: object.identity.current))
    }
    return ListChange(removed: removed, inserted: inserted)
  }
}
