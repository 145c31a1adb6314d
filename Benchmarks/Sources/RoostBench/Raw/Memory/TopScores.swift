// SPDX-License-Identifier: Apache-2.0

/// The highest scores of many, in a heap whose root is the lowest of them: most candidates cost one comparison.
struct TopScores {
  private let limit: Int
  private var heap: ContiguousArray<(score: Double, place: Int32)> = []

  /// - Parameter limit: The number of scores to keep; at least one.
  init(limit: Int) {
    self.limit = limit
    heap.reserveCapacity(limit)
  }

  mutating func removeAll() { heap.removeAll(keepingCapacity: true) }

  @inline(__always)
  mutating func add(_ score: Double, at place: Int32) {
    if heap.count < limit {
      heap.append((score, place))
      rise(heap.count - 1)
    } else if score > heap[0].score {
      heap[0] = (score, place)
      sink()
    }
  }

  /// Returns the kept scores and their array indexes, the highest score first.
  func sorted() -> ContiguousArray<(score: Double, place: Int32)> {
    ContiguousArray(heap.sorted { $0.score > $1.score })
  }

  private mutating func rise(_ start: Int) {
    var child = start
    while child > 0 {
      let parent = (child - 1) / 2
      guard heap[child].score < heap[parent].score else { return }
      heap.swapAt(child, parent)
      child = parent
    }
  }

  private mutating func sink() {
    var parent = 0
    while true {
      var lowest = parent
      let left = 2 * parent + 1
      let right = left + 1
      if left < heap.count, heap[left].score < heap[lowest].score { lowest = left }
      if right < heap.count, heap[right].score < heap[lowest].score { lowest = right }
      guard lowest != parent else { return }
      heap.swapAt(parent, lowest)
      parent = lowest
    }
  }
}
