// SPDX-License-Identifier: Apache-2.0

public import RoostConformanceKit
import RoostModel

/// Runs cases on a store.
///
/// ```swift
/// let report = ConformanceRun(JournalHarness()).report()
/// print(report.text)
/// ```
public struct ConformanceRun: Sendable {
  /// The store under test.
  public let harness: any ConformanceHarness
  /// The mode: the check after each case.
  public let mode: Mode
  /// The cases.
  public let cases: [ConformanceCase]
  private let companions: [any ConformanceHarness]
  private let defects: [String: String]
  /// The facets that the store claims.
  public let claims: Set<ConformanceFacet>

  /// The mode: the check after each case.
  public typealias Mode = ConformanceMode

  /// Prepares a run, and determines the store's claims.
  ///
  /// - Parameters:
  ///   - harness: The store under test.
  ///   - mode: The check after each case.
  ///   - cases: The cases.
  ///   - knownDefects: Cases that are known to fail.
  public init(
    _ harness: any ConformanceHarness, mode: Mode = .plain,
    cases: [ConformanceCase] = ConformanceCatalogue.all, knownDefects: [KnownDefect] = []
  ) {
    self.init(harness, beside: [], mode: mode, cases: cases, knownDefects: knownDefects)
  }

  /// Prepares a run of cases over several stores, with other stores beside the one under test.
  package init(
    _ harness: any ConformanceHarness, beside companions: [any ConformanceHarness],
    mode: Mode = .plain, cases: [ConformanceCase] = ConformanceCatalogue.ofSeveralStores,
    knownDefects: [KnownDefect] = []
  ) {
    self.harness = harness
    self.companions = companions
    self.mode = mode
    self.cases = cases
    defects = Dictionary(
      knownDefects.map { ($0.caseID, $0.reason) }, uniquingKeysWith: { first, _ in first })
    // A case over several stores needs facets that all of them claim.
    claims = companions.reduce(ConformanceClaims.claims(of: harness)) { claims, companion in
      claims.intersection(ConformanceClaims.claims(of: companion))
    }
  }

  /// Runs all cases.
  ///
  /// - Parameter progress: Called after each case.
  public func report(
    progress: (ConformanceCase, ConformanceOutcome) -> Void = { _, _ in }
  ) -> ConformanceReport {
    var results: [ConformanceReport.Result] = []
    for conformanceCase in cases {
      let outcome = outcome(of: conformanceCase)
      progress(conformanceCase, outcome)
      results.append(ConformanceReport.Result(conformanceCase, outcome))
    }
    return ConformanceReport(
      storeName: storeName, mode: mode, claims: claims, results: results,
      complaints: ConformanceSelfCheck.complaints(cases: cases, results: results, defects: defects))
  }

  private var storeName: String {
    ([harness] + companions).map(\.storeName).joined(separator: " beside ")
  }

  /// Runs one case.
  public func outcome(of conformanceCase: ConformanceCase) -> ConformanceOutcome {
    let lacking = conformanceCase.needs.subtracting(claims).sorted { $0.rawValue < $1.rawValue }
    if let silent = lacking.first(where: { $0.refusal == nil }) {
      return .leftOut("the store does not claim \(silent.rawValue)")
    }
    let error = error(of: conformanceCase)
    if let facet = lacking.first, let refusal = facet.refusal {
      return judgeRefusal(error, facet, refusal)
    }
    if let reason = defects[conformanceCase.id] {
      if error != nil { return .knownDefect(reason) }
      return .failed("passes, although it is listed as a known defect: \(reason)")
    }
    return error.map { .failed("\($0)") } ?? .passed
  }

  private func judgeRefusal(
    _ error: (any Error)?, _ facet: ConformanceFacet, _ refusal: PersistenceError.Code
  ) -> ConformanceOutcome {
    guard let error else {
      return .failed("passes, although the store does not claim \(facet.rawValue)")
    }
    if let error = error as? PersistenceError, error.code == refusal { return .refused }
    return .failed(
      "the store does not claim \(facet.rawValue), and answers with \(error) "
        + "instead of the error \(refusal.rawValue)")
  }

  private func error(of conformanceCase: ConformanceCase) -> (any Error)? {
    let stage = ConformanceStage(harness: harness, mode: mode, beside: companions)
    do {
      try conformanceCase.body(stage)
      try stage.finish()
    } catch {
      stage.clear()
      return error
    }
    return nil
  }
}
