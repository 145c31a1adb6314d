// SPDX-License-Identifier: Apache-2.0

/// Merges sorted lists and applies offset and limit to the whole: the last step of a fetch over several stores.
struct FetchMerge<Element> {
  /// The results of each store, each list sorted.
  let lists: [[Element]]
  let offset: Int
  let limit: Int?

  /// A result and the index of its list.
  struct Merged {
    var element: Element
    var list: Int
  }

  init(_ lists: [[Element]], offset: Int = 0, limit: Int? = nil) {
    self.lists = lists
    self.offset = offset
    self.limit = limit
  }

  /// Returns the window of the merged list. Equal elements are in the order of their lists.
  ///
  /// - Parameter comesBefore: Whether an element comes strictly before another one.
  /// - Complexity: O(*n* · *k*) comparisons for *n* results up to the end of the window and *k* lists.
  func merged(by comesBefore: (Element, Element) throws -> Bool) rethrows -> [Merged] {
    let available = lists.reduce(0) { $0 + $1.count }
    let end = limit.map { min(available, offset.addingSaturated($0)) } ?? available
    guard end > offset else { return [] }
    var next = [Int](repeating: 0, count: lists.count)
    var result: [Merged] = []
    result.reserveCapacity(end - offset)
    for position in 0..<end {
      var best: Int?
      for list in lists.indices where next[list] < lists[list].count {
        guard let current = best else {
          best = list
          continue
        }
        if try comesBefore(lists[list][next[list]], lists[current][next[current]]) { best = list }
      }
      guard let best else { break }
      if position >= offset {
        result.append(Merged(element: lists[best][next[best]], list: best))
      }
      next[best] += 1
    }
    return result
  }
}

extension Int {
  /// Returns the sum, saturated at the largest number.
  func addingSaturated(_ other: Int) -> Int {
    let (sum, isTooLarge) = addingReportingOverflow(other)
    return isTooLarge ? .max : sum
  }
}

extension Array {
  /// Returns the elements after an offset, up to a limit.
  func window(offset: Int, limit: Int?) -> [Element] {
    if offset <= 0 && limit == nil { return self }
    let rest = dropFirst(Swift.max(0, offset))
    return Array(limit.map { rest.prefix($0) } ?? rest)
  }
}
