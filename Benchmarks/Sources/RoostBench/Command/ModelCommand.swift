// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost

/// `--model`: measures a model of Xcode's on each store.
struct ModelCommand {
  let options: BenchOptions
  let engines: [any Engine]
  let makeModel: () throws -> ManagedObjectModel

  func run(_ progress: Progress) throws -> BenchResults {
    var results = BenchResults(
      objects: options.objects, rounds: options.rounds, durability: options.durability)
    for engine in engines {
      results.engines.append(
        .init(store: engine.kind, version: engine.version, durability: engine.durabilityNote))
    }
    for round in 1...options.rounds {
      for engine in engines {
        if Interruption.isRequested {
          results.isInterrupted = true
          return results
        }
        progress.note("round \(round) of \(options.rounds): \(engine.kind.title)")
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
    return results
  }
}
