// SPDX-License-Identifier: Apache-2.0

/// A kind of work that is measured in rounds, some of it beside the same in another way.
protocol ComparedWork: RawRepresentable<String>, Codable, Hashable, CaseIterable, Sendable {
  /// The heading of the results.
  static var heading: String { get }
  /// What is compared, for the page.
  static var explanation: String { get }

  var title: String { get }
  /// What one figure is.
  var unit: String { get }
  /// What the figure is compared with, in a word; nil where it stands alone.
  func beside(_ store: StoreKind) -> String?
  /// What the ratio, or the figure where there is none, is to be at the most; nil without a goal.
  func goal(_ store: StoreKind) -> Double?
  /// Whether the figure is to be as large as the goal, and not as small.
  var isBetterLarge: Bool { get }
}

extension ComparedWork {
  var isBetterLarge: Bool { false }
}

/// What work takes: a value a round.
struct ComparedResult<Work: ComparedWork>: Codable, Hashable {
  var store: StoreKind
  var work: Work
  var values: [Double]
  /// The same in the other way; empty where there is nothing to compare with.
  var besides: [Double] = []

  var spread: Spread? { Spread(values) }

  /// The median by that of what it is compared with.
  var ratio: Double? {
    guard let ours = spread, let other = Spread(besides), other.median > 0 else { return nil }
    return ours.median / other.median
  }

  /// Whether the goal holds; nil when there is none.
  var holds: Bool? {
    guard let goal = work.goal(store) else { return nil }
    if work.beside(store) != nil { return ratio.map { $0 <= goal } }
    guard let median = spread?.median else { return nil }
    return work.isBetterLarge ? median >= goal : median <= goal
  }
}

/// The figures of a store, while they are found.
struct ComparedResults<Work: ComparedWork> {
  let store: StoreKind
  private var results: [Work: ComparedResult<Work>] = [:]

  init(_ store: StoreKind) {
    self.store = store
  }

  mutating func add(_ value: Double, to work: Work) {
    change(work) { $0.values.append(value) }
  }

  mutating func add(_ value: Double, besides work: Work) {
    change(work) { $0.besides.append(value) }
  }

  private mutating func change(_ work: Work, _ body: (inout ComparedResult<Work>) -> Void) {
    var result = results[work] ?? ComparedResult(store: store, work: work, values: [])
    body(&result)
    results[work] = result
  }

  var all: [ComparedResult<Work>] { Work.allCases.compactMap { results[$0] } }
}
