// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformance
import Testing

/// A case on a store: the unit that the test runner shows and repeats.
struct StoreCase: Sendable, CustomTestStringConvertible {
  let run: ConformanceRun
  let conformanceCase: ConformanceCase

  var testDescription: String { "\(run.harness.storeName) \(conformanceCase.id)" }
}

@Suite("Every store keeps every promise")
struct ConformanceTests {
  private static let runs: [ConformanceRun] = {
    StoresUnderTest.prepared
    // The data of a case must be readable, and persist when the store is reopened.
    return StoresUnderTest.all.map { ConformanceRun($0, mode: .reopening) }
  }()

  static let cases: [StoreCase] = runs.flatMap { run in
    run.cases.map { StoreCase(run: run, conformanceCase: $0) }
  }

  /// Whether `.ci/run` has run the same cases on the same stores, to check README's table.
  private static let hasRun = ProcessInfo.processInfo.environment["ROOST_KIT_RAN"] == "yes"

  @Test(
    "a store keeps a promise, or refuses as documented",
    .disabled(if: hasRun, "The kit ran before the tests."), arguments: cases)
  func keeps(_ storeCase: StoreCase) {
    let outcome = storeCase.run.outcome(of: storeCase.conformanceCase)
    if case .failed(let message) = outcome {
      Issue.record("\(storeCase.conformanceCase.title)\n\(message)")
    }
  }
}
