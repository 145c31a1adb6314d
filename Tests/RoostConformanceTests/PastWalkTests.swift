// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformance
import RoostConformanceKit
import RoostSimulation
import Testing

@testable import RoostConformanceCases

@Suite("Long walks with questions about the past")
struct PastWalkTests {
  /// The number of steps, each of which leaves a token; `make soak` sets a higher number.
  private static let steps =
    ProcessInfo.processInfo.environment["ROOST_PAST_STEPS"].flatMap { Int($0) } ?? 12

  @Test(
    "at random tokens all requests are answered as they were then (L22)",
    arguments: StoresUnderTest.all.map(\.storeName).filter {
      $0 != StoreHarness.reference.storeName
    })
  func walk(_ name: String) throws {
    StoresUnderTest.prepared
    let harness = try #require(StoresUnderTest.all.first { $0.storeName == name })
    let stage = ConformanceStage(harness: harness)
    let stack = try stage.openKeepingValues(PastModel.make())
    var walk = PastWalk(on: stack, seed: 2_026)
    for _ in 0..<Self.steps { try walk.step() }
    var random = SplitMix64(seed: 7)
    for memory in walk.memories.shuffled(using: &random) {
      let past = try stack.past(memory.token)
      #expect(try PastQuestions.answers(of: past) == memory.answers)
    }
    let asked = walk.memories.reduce(0) { $0 + $1.answers.count }
    print("\(name): \(walk.memories.count) tokens, \(asked) answers")
    try stage.finish()
  }
}
