// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost

/// `--model`: measures an Xcode data model on each store.
struct ModelCommand {
  let options: BenchOptions
  let engines: [any Engine]
  let makeModel: () throws -> ManagedObjectModel

  /// Measures round after round. After an error the remaining work on that store is skipped, and the results say why.
  ///
  /// - Throws: An error that describes what is wrong with the model.
  func run(_ progress: Progress) throws -> BenchResults {
    _ = try makeModel()
    var results = BenchResults(
      objects: options.objects, rounds: options.rounds, durability: options.durability)
    for engine in engines {
      results.engines.append(
        .init(store: engine.kind, version: engine.version, durability: engine.durabilityNote))
    }
    let clock = ContinuousClock()
    let start = clock.now
    var runs = 0
    var failed: Set<StoreKind> = []
    for round in 1...options.rounds {
      for engine in engines where !failed.contains(engine.kind) {
        if Interruption.isRequested {
          results.isInterrupted = true
          return results
        }
        let rest = Double(options.rounds * engines.count - runs)
        let left = rest * (clock.now - start).seconds / Double(max(runs, 1))
        progress.note(
          "round \(round) of \(options.rounds): \(engine.kind.title)"
            + (runs == 0 ? "" : ", about \(Figures.remaining(left)) left"))
        runs += 1
        do {
          try measure(engine, &results)
        } catch {
          results.fail("\(engine.kind.title), round \(round)", error)
          failed.insert(engine.kind)
        }
      }
    }
    return results
  }

  private func measure(_ engine: any Engine, _ results: inout BenchResults) throws {
    let run = ModelRun(engine: engine, makeModel: makeModel, objects: options.objects)
    let (times, checksum) = try run.run()
    for (work, time) in times {
      let key = Measurement.Key(store: engine.kind, workload: work.rawValue, baseline: nil)
      let proof = work == .read ? checksum : nil
      if let proof { try results.agree(proof, for: key) }
      results.add(time, unit: "ms", to: key, checksum: proof)
    }
  }
}
