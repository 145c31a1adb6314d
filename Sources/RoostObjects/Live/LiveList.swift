// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The sorted results of a live query, together with the records before its offset and, if it has a limit, a margin
/// of records behind the results: these move up when a result leaves.
struct LiveList {
  /// The number of records kept behind the results.
  static let margin = 32
  /// The largest offset up to which the records before the results are kept. With a larger one, results are fetched
  /// again for each change.
  static let greatestOffset = 256

  private let judge: LiveJudge
  /// The maximum number of results; nil for all.
  let limit: Int?
  /// The number of records kept before the results: insertions and deletions among them move the results.
  let offset: Int
  private(set) var kept: [ManagedObject] = []
  private(set) var members: Set<ObjectIdentifier> = []
  /// Whether the kept records are all there are.
  private var isComplete = true

  init(_ judge: LiveJudge, limit: Int?, offset: Int = 0) {
    self.judge = judge
    self.offset = offset
    // A limit this large is no limit.
    self.limit = limit.flatMap { $0 > Int.max - offset - 2 * Self.margin ? nil : $0 }
  }

  /// The fetch limit; nil for all.
  var fetchLimit: Int? { wanted.map { $0 + Self.margin } }

  /// The number of records up to the end of the results; nil for all.
  private var wanted: Int? { limit.map { offset + $0 } }

  /// The results.
  var elements: [ManagedObject] {
    if limit == nil, offset == 0 { return kept }
    return Array(kept.prefix(wanted ?? kept.count).dropFirst(offset))
  }

  /// Replaces the kept records with fetched ones.
  mutating func replace(with fetched: [ManagedObject]) {
    kept = fetched
    for object in fetched { object.isLiveResult = true }
    members = Set(fetched.lazy.map { ObjectIdentifier($0) })
    isComplete = fetchLimit.map { fetched.count < $0 } ?? true
  }

  mutating func removeAll() {
    replace(with: [])
  }

  /// Restores the earlier records after objects could not be moved to their places.
  mutating func restore(_ earlier: [ManagedObject]) {
    kept = earlier
    members = Set(earlier.lazy.map { ObjectIdentifier($0) })
  }

  /// The outcome of evaluating the request on changed objects.
  struct Verdicts {
    /// The objects that are results now.
    var matching: [ManagedObject] = []
    /// The members that were evaluated.
    var judged: [ManagedObject] = []
    /// The members that were changed.
    var refreshed: [ManagedObject] = []
  }

  /// Moves evaluated objects to their places.
  ///
  /// - Returns: The change of the results; nil when too few records are left, and the results have to be fetched
  ///   again.
  /// - Complexity: O(*k* log *n*) comparisons for *k* evaluated objects and *n* results, and O(*n*) moves of
  ///   references.
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

  /// Removes evaluated objects and inserts the matching ones again.
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
    // Behind the last kept record of an incomplete list there may be others that are not kept.
    let known = isComplete ? arriving.count : ranks.firstIndex { $0 == kept.count } ?? ranks.count
    insert(arriving[..<known], at: ranks)
    for object in left { members.remove(ObjectIdentifier(object)) }
    for object in arriving[..<known] {
      members.insert(ObjectIdentifier(object))
      object.isLiveResult = true
    }
    return Self.change(left, leaving, Array(arriving[..<known]), ranks)
  }

  /// The indices of members, ascending.
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

  /// Inserts objects in order, each before the element with its rank.
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

  /// Returns the number of kept records that come before an object.
  private func place(of object: ManagedObject, from start: Int) throws -> Int {
    var (low, high) = (start, kept.count)
    while low < high {
      let middle = (low + high) / 2
      if try judge.isOrderedBefore(kept[middle], object) { low = middle + 1 } else { high = middle }
    }
    return low
  }

  /// Returns the removals and insertions. An object that returns between the same two records has not moved, unless
  /// the order among the objects returning there has changed.
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
