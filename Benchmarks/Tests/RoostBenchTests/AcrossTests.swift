// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import RoostBench

/// What `--across` measures. Flushes are counted for the whole process, so one test at a time.
@Suite(.serialized) struct AcrossTests {
  @Test(
    "saves over several stores and relationships across them are measured beside those of one",
    arguments: [StoreKind.sqlite, .lmdb, .memory])
  func run(store: StoreKind) throws {
    try with(store) { engine in
      var extent = Extent(objects: 1_000)
      extent.saves = 20
      let results = try AcrossRun(engine: engine, data: SampleData(extent), flush: 1)
        .run(rounds: 1, progress: Progress(isQuiet: true))
      // There is no server here.
      #expect(
        results.map(\.work) == [.single, .two, .three, .prefetch, .prefetchMany, .hop])
      for result in results {
        #expect(result.values.count == 1 && result.values[0] > 0)
        #expect(result.ratio != nil)
      }
      #expect(ComparedSection(results: results).rows.count == results.count)
    }
  }

  @Test(
    "a save to one store asks and flushes as much with another store attached (X3)",
    arguments: [StoreKind.sqlite, .lmdb, .memory])
  func unchanged(store: StoreKind) throws {
    try with(store) { engine in
      let data = SampleData(Extent(objects: 1_000))
      let costs = try AcrossRun(engine: engine, data: data).costsOfOne()
      #expect(costs.beside == costs.alone)
      #expect(costs.alone.roundTrips >= AcrossRun.turn)
      #expect((costs.alone.flushes > 0) == (store != .memory && Flushes.isAvailable))
    }
  }

  @Test(
    "a save over two files flushes three times, and twice more for each other file (X3)",
    arguments: [StoreKind.sqlite, .lmdb])
  func flushes(store: StoreKind) throws {
    guard Flushes.isAvailable else { return }
    try with(store) { engine in
      let run = AcrossRun(engine: engine, data: SampleData(Extent(objects: 1_000)))
      for count in 2...3 {
        let costs = try run.costs(
          over: (0..<count).map { try engine.storeDescription(numbered: $0) })
        // LMDB flushes the pages of a commit, and then the root.
        let commits = (store == .lmdb ? 2 : 1) * AcrossRun.turn
        #expect(costs.apart.flushes == count * commits)
        #expect(costs.together.flushes == (2 * count - 1) * commits)
        #expect(costs.together.roundTrips == costs.apart.roundTrips)
      }
    }
  }

  @Test("goals are those of files, and of two servers")
  func goals() {
    func holds(_ work: AcrossWork, _ ratio: Double, _ store: StoreKind) -> Bool? {
      ComparedResult(store: store, work: work, values: [ratio], besides: [1]).holds
    }
    #expect(holds(.two, 1.59, .sqlite) == true && holds(.two, 1.61, .lmdb) == false)
    #expect(holds(.two, 9, .memory) == nil && holds(.two, 9, .postgresql) == nil)
    #expect(holds(.servers, 1.79, .postgresql) == true)
    #expect(holds(.servers, 1.81, .postgresql) == false)
    #expect(holds(.hop, 2.1, .memory) == false)
  }

  private func with(_ store: StoreKind, _ body: (any Engine) throws -> Void) throws {
    let folder = try WorkFolder(in: nil)
    defer { folder.remove() }
    let catalogue = try EngineCatalogue([store], folder: folder, durability: .full)
    try body(#require(catalogue.engines.first))
  }
}
