// SPDX-License-Identifier: Apache-2.0

/// A kind of work that is measured in rounds, and may be compared with another way to do the same.
protocol ComparedWork: RawRepresentable<String>, Codable, Hashable, CaseIterable, Sendable {
  /// The heading of the results.
  static var heading: String { get }
  /// The explanation of the comparison, for the page.
  static var explanation: String { get }

  var title: String { get }
  /// The unit of a figure.
  var unit: String { get }
  /// Returns a word for the alternative that the figure is compared with; nil without a comparison.
  func beside(_ store: StoreKind) -> String?
  /// Returns the highest ratio, or figure where there is no ratio, that meets the goal; nil without a goal.
  func goal(_ store: StoreKind) -> Double?
  /// Whether the goal is a minimum rather than a maximum.
  var isBetterLarge: Bool { get }
}

extension ComparedWork {
  var isBetterLarge: Bool { false }
}

/// The figures of one kind of work, one value per round.
struct ComparedResult<Work: ComparedWork>: Codable, Hashable {
  var store: StoreKind
  var work: Work
  var values: [Double]
  /// The figures of the alternative; empty without a comparison.
  var besides: [Double] = []

  var spread: Spread? { Spread(values) }

  /// The median divided by the median of the alternative.
  var ratio: Double? {
    guard let ours = spread, let other = Spread(besides), other.median > 0 else { return nil }
    return ours.median / other.median
  }

  /// Whether the goal is met; nil without a goal.
  var holds: Bool? {
    guard let goal = work.goal(store) else { return nil }
    if work.beside(store) != nil { return ratio.map { $0 <= goal } }
    guard let median = spread?.median else { return nil }
    return work.isBetterLarge ? median >= goal : median <= goal
  }
}

/// Collects the figures of a store during a run.
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
