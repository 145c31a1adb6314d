// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Runs the workloads once under callgrind, and counts their instructions.
struct InstructionRun {
  let engine: any Engine
  let workloads: [any Workload]
  let extent: Extent
  /// The folder that callgrind writes to.
  let folder: URL

  /// Returns the instructions per operation by workload; an interrupted run has fewer workloads.
  func run() throws -> [String: Double] {
    let stage = try Stage(engine, SampleData(extent))
    try stage.fill()
    for workload in workloads where !Interruption.isRequested {
      try stage.runTwice(workload, counting: .instructions)
      InstructionCounter.dump(name(workload))
      if workload.effect == .disturbs { try stage.fill() }
    }
    try stage.close()
    let counted = try CallgrindProfile.all(in: folder)
    var figures: [String: Double] = [:]
    for workload in workloads {
      guard let sum = counted[name(workload)] else { continue }
      figures[workload.id] = Double(sum) / Double(workload.operations(extent))
    }
    return figures
  }

  private func name(_ workload: any Workload) -> String {
    "\(engine.kind.rawValue) \(workload.id)"
  }
}
