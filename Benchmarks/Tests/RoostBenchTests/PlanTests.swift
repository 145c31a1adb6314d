// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import RoostBench

@Suite struct PlanTests {
  private func workloads(_ ids: String...) -> [any Workload] {
    WorkloadCatalogue.all.filter { ids.contains($0.id) }
  }

  @Test("rounds are interleaved: both sides of a workload stand together, and take turns")
  func interleaving() {
    let plan = StepPlan(
      stores: [.sqlite, .memory], workloads: workloads("W1", "W2"), memory: [],
      rounds: 2)
    let first = plan.steps.filter { $0.round == 1 && $0.store == .sqlite }.map(\.work)
    #expect(
      first == [
        .workload("W1", .raw), .workload("W1", .tuned), .workload("W1", nil),
        .workload("W2", .raw), .workload("W2", .keeping), .workload("W2", .tuned),
        .workload("W2", nil),
      ])
    let second = plan.steps.filter { $0.round == 2 && $0.store == .memory }.map(\.work)
    #expect(second.prefix(2) == [.workload("W1", nil), .workload("W1", .raw)])
    #expect(plan.steps.map(\.round) == plan.steps.map(\.round).sorted())
  }

  @Test("settings are a baseline of their own where there are any and the store is asked")
  func tuned() throws {
    let access = try #require(workloads("A1").first)
    let reading = try #require(workloads("W2").first)
    #expect(reading.baselines(on: .sqlite) == [.raw, .keeping, .tuned])
    #expect(reading.baselines(on: .lmdb) == [.raw, .keeping])
    #expect(access.baselines(on: .sqlite) == [.raw])
  }

  @Test("stores are filled once for workloads that only read, and anew after one that writes")
  func filling() {
    let reading = StepPlan(
      stores: [.sqlite], workloads: workloads("W2", "W3"), memory: [], rounds: 3)
    #expect(reading.steps.filter { $0.work == .fill }.map(\.round) == [1])
    let writing = StepPlan(
      stores: [.sqlite], workloads: workloads("W2", "W8"), memory: [], rounds: 3)
    #expect(writing.steps.filter { $0.work == .fill }.map(\.round) == [1, 2, 3])
    let inserting = StepPlan(
      stores: [.sqlite], workloads: workloads("W1", "W8"), memory: [], rounds: 3)
    #expect(inserting.steps.filter { $0.work == .fill }.isEmpty)
  }

  @Test("memory is measured on the data as it was, in three rounds at most")
  func memory() throws {
    let plan = StepPlan(
      stores: [.sqlite], workloads: workloads("W1", "W8"), memory: [.hold], rounds: 5)
    #expect(plan.steps.filter { $0.work == .memory(.hold, nil) }.map(\.round) == [1, 2, 3])
    let index = try #require(plan.steps.firstIndex { $0.work == .memory(.hold, .keeping) })
    #expect(plan.steps[index - 1].work == .fill)
    let alone = StepPlan(stores: [.sqlite], workloads: [], memory: [.hold], rounds: 1)
    #expect(alone.steps.map(\.work) == [.fill, .memory(.hold, .keeping), .memory(.hold, nil)])
  }

  @Test("what ran before is expected to take as long again, the rest in proportion")
  func estimate() {
    let plan = StepPlan(
      stores: [.sqlite], workloads: workloads("W2", "W3"), memory: [], rounds: 1)
    var estimate = TimeEstimate { _ in 1 }
    #expect(estimate.seconds(for: plan.steps) == nil)
    estimate.finish(plan.steps[0], seconds: 3)
    #expect(estimate.seconds(for: plan.steps[1...1]) == 3)
    #expect(estimate.seconds(for: plan.steps[0..<1]) == 3)
    estimate.finish(plan.steps[1], seconds: 1)
    #expect(estimate.seconds(for: plan.steps[2...2]) == 2)
  }

  @Test("workloads have names of their own, and stand in tables by their numbers")
  func names() {
    let ids = WorkloadCatalogue.ids
    #expect(Set(ids).count == ids.count)
    let sorted = ["W10", "M3", "A4", "M2", "W2", "X1", "A1", "W6b", "W6"].sorted {
      WorkloadCatalogue.place(of: $0) < WorkloadCatalogue.place(of: $1)
    }
    #expect(sorted == ["W2", "W6", "W6b", "W10", "A1", "A4", "M2", "M3", "X1"])
  }
}
