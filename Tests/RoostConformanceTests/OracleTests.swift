// SPDX-License-Identifier: Apache-2.0

import RoostConformance
import Testing

@testable import RoostSimulation

/// Tests of the oracle itself: with one wrong rule it must disagree with the store.
@Suite("The oracle of questions")
struct OracleTests {
  @Test("a rule that is wrong on purpose is noticed", arguments: OracleCondition.Fault.allCases)
  func faults(_ fault: OracleCondition.Fault) {
    let run = OracleRun(StoreHarness.reference, fault: fault)
    let failure = (1...20).lazy.compactMap { run.failure(seed: $0) }.first
    #expect(failure != nil, "\(fault) is not noticed")
  }

  @Test("the reference store answers as the oracle does (B120, B121, B124, B125, B134, B142)")
  func reference() {
    for seed in 100...103 as ClosedRange<UInt64> {
      let failure = OracleRun(StoreHarness.reference).failure(seed: seed)
      #expect(failure == nil, "\(failure ?? "")")
    }
  }
}
