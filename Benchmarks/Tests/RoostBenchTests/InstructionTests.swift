// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import RoostBench

/// Tests of the counts of `--instructions`.
struct InstructionTests {
  @Test("a file of callgrind's has the name that the program gave, and the sum")
  func profile() {
    let text = """
      version: 1
      desc: Timerange: Basic block 0 - 10
      desc: Trigger: Client Request: sqlite W1
      events: Ir
      summary: 0

      fl=(1) a.c
      1 12
      totals: 123456
      """
    let profile = CallgrindProfile(text)
    #expect(profile?.name == "sqlite W1" && profile?.instructions == 123_456)
    // Callgrind's dump at the end of the program was not requested.
    let end = text.replacing("Client Request: sqlite W1", with: "Program termination")
    #expect(CallgrindProfile(end) == nil)
  }

  @Test("budgets are of ten thousand objects, and a workload that takes more is told")
  func budgets() throws {
    let budget = try #require(InstructionBudgets.budget("W2", on: .memory))
    func table(_ instructions: Double, objects: Int) -> InstructionTable {
      InstructionTable(
        store: .memory, extent: Extent(objects: objects), counted: ["W2": instructions])
    }
    #expect(table(budget, objects: 10_000).violations.isEmpty)
    #expect(table(budget + 1, objects: 10_000).violations.count == 1)
    #expect(table(budget + 1, objects: 1_000).violations.isEmpty)
    #expect(table(budget / 2, objects: 10_000).text.contains("0.50"))
  }

  @Test("profiles belong to instructions, which stand for themselves")
  func options() throws {
    #expect(throws: RefusedOptions.self) { try BenchOptions.of(["--profiles", "x"]) }
    #expect(throws: RefusedOptions.self) {
      try BenchOptions.of(["--instructions", "show", "--rounds", "2"])
    }
    let options = try BenchOptions.of(["--instructions", "check", "--profiles", "x"])
    #expect(options.instructions == .check && options.instructionObjects == 10_000)
    #expect(
      try BenchOptions.of(["--instructions=show", "--objects=2000"]).instructionObjects == 2_000)
  }
}
