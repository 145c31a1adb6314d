// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Runs the workloads once, on little data, and counts instead of measuring.
struct CounterRun {
  static let objects = 2_000

  let engine: any Engine
  let workloads: [any Workload]

  /// The amount of work. It is small: a counter is the same for one operation and for a hundred.
  static var extent: Extent {
    var extent = Extent(objects: objects)
    extent.queries = 50
    extent.saves = 50
    extent.openings = 4
    return extent
  }

  /// Returns the counters of each workload; an interrupted run has fewer workloads.
  func run() throws -> [String: WorkloadCounters] {
    let extent = Self.extent
    let data = SampleData(extent)
    let stage = try Stage(engine, data)
    var counted: [String: WorkloadCounters] = [:]
    try stage.fill()
    for workload in workloads where !Interruption.isRequested {
      try stage.runTwice(workload, counting: .allocations)
      var counters = WorkloadCounters(stage.meter, operations: workload.operations(extent))
      if workload.effect == .fills, let bytes = engine.storedBytes() {
        counters.storedBytes = Double(bytes / extent.objects)
      }
      counted[workload.id] = counters
      if workload.effect == .disturbs { try stage.fill() }
    }
    try stage.close()
    return counted
  }
}

extension Stage {
  /// Runs a workload twice and measures the second run: the first fills caches and creates what is made at first use.
  ///
  /// - Parameter counting: The counters of the second run.
  func runTwice(_ workload: any Workload, counting: Meter.Counting) throws {
    try reopen()
    startMeter()
    _ = try workload.run(on: self)
    if workload.effect == .disturbs { try fill() }
    try reopen()
    startMeter(counting: counting)
    _ = try workload.run(on: self)
  }
}

/// The counters as text.
struct CounterTable {
  let store: StoreKind
  let counted: [String: WorkloadCounters]

  var text: String {
    var rows = [
      [
        "", "round trips", "statements", "rows", "allocations an operation", "", "bytes",
        "", "",
      ]
    ]
    let ids = counted.keys.sorted {
      WorkloadCatalogue.place(of: $0) < WorkloadCatalogue.place(of: $1)
    }
    for id in ids {
      guard let counters = counted[id] else { continue }
      rows.append([
        id, Figures.grouped(counters.roundTrips), Figures.grouped(counters.statements),
        Figures.grouped(counters.rows), Figures.digits(counters.allocations), "",
        Figures.digits(counters.bytes),
        counters.storedBytes.map { "\(Int($0)) bytes an object in the store" } ?? "",
        WorkloadTitles.title(id, CounterRun.extent),
      ])
    }
    let head = "\(store.title), \(Figures.grouped(CounterRun.objects)) objects"
    return ([head] + TextTable.aligned(rows)).joined(separator: "\n")
  }
}
