// SPDX-License-Identifier: Apache-2.0

import Foundation

/// `--counters`: shows, checks or records counters, which do not depend on the machine.
struct CounterCommand {
  let options: BenchOptions
  let engines: [any Engine]

  /// - Returns: 0, 1 when a threshold is exceeded, or 130 after Ctrl-C.
  func run() throws -> Int32 {
    guard AllocationCounter.isAvailable else {
      throw BenchError("Allocations can be counted with glibc only.")
    }
    let workloads = WorkloadCatalogue.all.filter { options.workloads?.contains($0.id) ?? true }
    var violations: [String] = []
    for engine in engines {
      let counted = try CounterRun(engine: engine, workloads: workloads).run()
      // An interrupted run shows the counters taken so far and leaves the thresholds unchanged.
      guard !Interruption.isRequested else {
        print(CounterTable(store: engine.kind, counted: counted).text)
        return Interruption.exitCode
      }
      switch options.counters {
      case .off, .show:
        print(CounterTable(store: engine.kind, counted: counted).text)
      case .check:
        print(CounterTable(store: engine.kind, counted: counted).text)
        let thresholds = try Thresholds(engine.kind, in: folder)
        violations += thresholds.violations(of: counted, on: engine.kind)
      case .record:
        try Thresholds(objects: CounterRun.objects, workloads: counted)
          .write(engine.kind, in: folder)
        print("Recorded \(engine.kind.title) in \(folder.path)")
      }
    }
    guard violations.isEmpty else {
      print("\nMore than it may be:\n" + violations.map { "  " + $0 }.joined(separator: "\n"))
      return 1
    }
    return 0
  }

  /// The folder of the thresholds. Unoptimized programs allocate more, so each build configuration has its own.
  private var folder: URL {
    URL(filePath: options.thresholdsFolder ?? "Benchmarks/Thresholds")
      .appending(path: Machine.current.isOptimized ? "release" : "debug")
  }
}
