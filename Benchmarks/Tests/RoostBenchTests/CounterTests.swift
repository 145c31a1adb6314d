// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import RoostBench

@Suite(.serialized) struct CounterTests {
  private static let counters = WorkloadCounters(
    roundTrips: 3, statements: 3, rows: 100, allocations: 4, bytes: 200, storedBytes: 300)

  @Test("what costs as much as it may is no violation, and what costs less neither")
  func allowed() {
    let thresholds = Thresholds(objects: 10, workloads: ["W1": Self.counters])
    #expect(thresholds.violations(of: ["W1": Self.counters], on: .sqlite).isEmpty)
    var less = Self.counters
    less.statements = 1
    less.allocations = 1
    #expect(thresholds.violations(of: ["W1": less], on: .sqlite).isEmpty)
  }

  @Test("each counter that is too high is named with its workload and its limit")
  func exceeded() {
    let thresholds = Thresholds(objects: 10, workloads: ["W1": Self.counters])
    var more = Self.counters
    more.roundTrips = 4
    more.rows = 101
    more.allocations = 6
    more.storedBytes = 400
    let found = thresholds.violations(of: ["W1": more], on: .sqlite)
    #expect(found.count == 4)
    #expect(found.allSatisfy { $0.hasPrefix("SQLite W1: ") })
    #expect(found.first == "SQLite W1: round trips 4.00, at most 3.00")
  }

  @Test("a workload without a threshold is a violation, so that none is forgotten")
  func missing() {
    let thresholds = Thresholds(objects: 10, workloads: [:])
    #expect(
      thresholds.violations(of: ["W1": Self.counters], on: .lmdb)
        == ["LMDB W1 has no threshold: record one."])
  }

  @Test(
    "thresholds are the same after they were written, and none is an error that says what to do")
  func files() throws {
    let folder = FileManager.default.temporaryDirectory.appending(path: UUID().uuidString)
    defer { try? FileManager.default.removeItem(at: folder) }
    let error = #expect(throws: BenchError.self) { try Thresholds(.sqlite, in: folder) }
    #expect(error?.description.contains("--counters record") == true)
    let thresholds = Thresholds(objects: 10, workloads: ["W1": Self.counters])
    try thresholds.write(.sqlite, in: folder)
    #expect(try Thresholds(.sqlite, in: folder) == thresholds)
    try Data("{}".utf8).write(to: folder.appending(path: "sqlite.json"))
    #expect(throws: BenchError.self) { try Thresholds(.sqlite, in: folder) }
  }

  @Test("allocations are counted while the meter runs, and only then")
  func allocations() throws {
    try #require(AllocationCounter.isAvailable)
    let meter = Meter(counting: .allocations)
    var kept: [PlainPerson] = []
    kept.reserveCapacity(100)
    let samples = (0..<100).map { Sample($0, departments: 10) }
    meter.measure {
      for (index, sample) in samples.enumerated() {
        kept.append(PlainPerson(id: Int64(index), sample))
      }
    }
    // All threads of the process are counted, and other suites run concurrently: there is no upper limit.
    #expect(meter.allocations.count >= 100)
    #expect(meter.allocations.bytes > 100 * 100)
    let before = meter.allocations
    kept += samples.enumerated().map { PlainPerson(id: Int64($0.offset), $0.element) }
    #expect(meter.allocations == before)
  }

  @Test("counting twice comes to the same requests and rows")
  func determinism() throws {
    let workloads = WorkloadCatalogue.all.filter { ["W2", "W3", "W6"].contains($0.id) }
    var runs: [[String: WorkloadCounters]] = []
    for _ in 0..<2 {
      let folder = try WorkFolder(in: nil)
      defer { folder.remove() }
      let catalogue = try EngineCatalogue([.sqlite], folder: folder, durability: .full)
      let engine = try #require(catalogue.engines.first)
      runs.append(try CounterRun(engine: engine, workloads: workloads).run())
    }
    for id in ["W2", "W3", "W6"] {
      let first = try #require(runs[0][id])
      let second = try #require(runs[1][id])
      #expect(first.roundTrips == second.roundTrips)
      #expect(first.statements == second.statements)
      #expect(first.rows == second.rows)
    }
    #expect(runs[0]["W2"]?.rows == CounterRun.objects)
    #expect(runs[0]["W3"]?.roundTrips == CounterRun.objects)
  }
}
