// SPDX-License-Identifier: Apache-2.0

public import RoostConformanceKit

/// The result of a conformance run.
///
/// ```swift
/// let report = ConformanceRun(harness).report()
/// print(report.text)
/// ```
public struct ConformanceReport: Sendable {
  /// The store.
  public var storeName: String
  /// The mode: the check after each case.
  public var mode: ConformanceMode
  /// The facets that the store claims.
  public var claims: Set<ConformanceFacet>
  /// The outcome of each case.
  public var results: [Result]
  /// Errors of the run itself; empty when the report is reliable.
  public var complaints: [String]

  /// The outcome of one case.
  ///
  /// ```swift
  /// for result in report.failures { print(result.id, result.title) }
  /// ```
  public struct Result: Sendable {
    /// The case.
    public var id: String
    /// The topic of the case.
    public var topic: ConformanceTopic
    /// The promise.
    public var title: String
    /// The outcome.
    public var outcome: ConformanceOutcome

    init(_ conformanceCase: ConformanceCase, _ outcome: ConformanceOutcome) {
      id = conformanceCase.id
      topic = conformanceCase.topic
      title = conformanceCase.title
      self.outcome = outcome
    }
  }

  /// Whether the store conforms: no case failed, and the run can be trusted.
  public var isConforming: Bool {
    complaints.isEmpty && !results.contains(where: \.outcome.isFailure)
  }

  /// The cases that failed.
  public var failures: [Result] { results.filter(\.outcome.isFailure) }

  /// Returns the number of cases of a topic by outcome.
  public func tally(of topic: ConformanceTopic) -> Tally {
    var tally = Tally()
    for result in results where result.topic == topic { tally.add(result.outcome) }
    return tally
  }

  /// Numbers of outcomes.
  ///
  /// ```swift
  /// print(report.tally(of: .fetching).passed)
  /// ```
  public struct Tally: Sendable, Hashable, Codable {
    /// Cases that passed.
    public var passed = 0
    /// Cases that were refused as documented.
    public var refused = 0
    /// Cases that were left out.
    public var leftOut = 0
    /// The number of known defects.
    public var knownDefects = 0
    /// Cases that failed.
    public var failed = 0

    /// Counts an outcome.
    public mutating func add(_ outcome: ConformanceOutcome) {
      switch outcome {
      case .passed: passed += 1
      case .refused: refused += 1
      case .leftOut: leftOut += 1
      case .knownDefect: knownDefects += 1
      case .failed: failed += 1
      }
    }
  }
}
