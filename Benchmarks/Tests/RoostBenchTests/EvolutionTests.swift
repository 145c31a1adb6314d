// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import RoostBench

/// Tests of the measurements of `--evolution`.
struct EvolutionTests {
  @Test(
    "a store is opened with one version after the other, beside statements where there are any",
    arguments: [StoreKind.sqlite, .lmdb, .memory])
  func run(store: StoreKind) throws {
    let folder = try WorkFolder(in: nil)
    defer { folder.remove() }
    let catalogue = try EngineCatalogue([store], folder: folder, durability: .full)
    let engine = try #require(catalogue.engines.first)
    let results = try EvolutionRun(engine: engine, data: SampleData(Extent(objects: 1_000)))
      .run(rounds: 1, progress: Progress(isQuiet: true))
    // Other programs use a server alone, and one number says which version a file is of.
    let left: [EvolutionWork] =
      [.online, .onlineSaves, .onlineLongest] + (store == .sqlite ? [] : [.epoch])
    #expect(results.map(\.work) == EvolutionWork.allCases.filter { !left.contains($0) })
    for result in results {
      #expect(result.values.count == 1 && result.values[0] > 0)
      #expect((result.ratio == nil) == (result.work.beside(store) == nil))
    }
    #expect(ComparedSection(results: results).rows.count == results.count)
  }
}
