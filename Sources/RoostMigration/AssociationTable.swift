// SPDX-License-Identifier: Apache-2.0

/// The associations of source and destination records, as pairs of keys: 16 bytes for each pair, and 16 more once a
/// caller looks up the other side and the keys are not in the same order there (M23).
struct AssociationTable {
  struct Pair {
    var source: Int64
    var destination: Int64
  }

  private(set) var pairs: ContiguousArray<Pair> = []
  private var isSorted = true
  private var isSortedByDestination = true
  private var byDestination: ContiguousArray<Pair>?

  /// Adds a pair; several of one source keep their order.
  mutating func add(_ source: Int64, _ destination: Int64) {
    if let last = pairs.last {
      if source < last.source { isSorted = false }
      if destination < last.destination { isSortedByDestination = false }
    }
    pairs.append(Pair(source: source, destination: destination))
    byDestination = nil
  }

  /// Returns the destination records of a source record, in the order of their association.
  mutating func destinations(of source: Int64) -> [Int64] {
    sort()
    var place = Self.firstPlace(in: pairs) { $0.source >= source }
    var found: [Int64] = []
    while place < pairs.endIndex, pairs[place].source == source {
      found.append(pairs[place].destination)
      place += 1
    }
    return found
  }

  /// Returns the source records of a destination record.
  mutating func sources(of destination: Int64) -> [Int64] {
    sort()
    if isSortedByDestination { return Self.sources(of: destination, in: pairs) }
    if byDestination == nil {
      var reversed = pairs
      reversed.sort { ($0.destination, $0.source) < ($1.destination, $1.source) }
      byDestination = reversed
    }
    return Self.sources(of: destination, in: byDestination ?? [])
  }

  private static func sources(
    of destination: Int64, in pairs: ContiguousArray<Pair>
  ) -> [Int64] {
    var place = firstPlace(in: pairs) { $0.destination >= destination }
    var found: [Int64] = []
    while place < pairs.endIndex, pairs[place].destination == destination {
      found.append(pairs[place].source)
      place += 1
    }
    return found
  }

  /// Sorts by source. The standard library's sort keeps the order of equals, though it does not promise it: the places
  /// are compared, too.
  private mutating func sort() {
    guard !isSorted else { return }
    let order = pairs.indices.sorted { (pairs[$0].source, $0) < (pairs[$1].source, $1) }
    pairs = ContiguousArray(order.map { pairs[$0] })
    isSorted = true
    isSortedByDestination = zip(pairs, pairs.dropFirst()).allSatisfy {
      $0.destination <= $1.destination
    }
    byDestination = nil
  }

  private static func firstPlace(
    in pairs: ContiguousArray<Pair>, where isReached: (Pair) -> Bool
  ) -> Int {
    var low = pairs.startIndex
    var high = pairs.endIndex
    while low < high {
      let middle = low + (high - low) / 2
      if isReached(pairs[middle]) { high = middle } else { low = middle + 1 }
    }
    return low
  }
}
