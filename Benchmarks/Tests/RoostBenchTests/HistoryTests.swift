// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import RoostBench

/// Tests of the measurements of `--history`.
struct HistoryTests {
  @Test(
    "all is measured, beside the same without a history",
    arguments: [StoreKind.sqlite, .lmdb, .memory])
  func run(store: StoreKind) async throws {
    // On a separate thread, as in the program: tasks that follow the store need the threads of the pool.
    let run = await withCheckedContinuation { continuation in
      Thread.detachNewThread { continuation.resume(returning: Result { try measure(store) }) }
    }
    let results = try run.get()
    let measured = HistoryWork.allCases.filter {
      // The size of an in-memory store cannot be measured.
      store != .memory || ($0 != .size && $0 != .sizeValues)
    }
    #expect(results.map(\.work) == measured)
    for result in results {
      #expect(result.values.count == 1 && result.values[0] > 0)
      #expect((result.ratio == nil) == (result.work.beside(store) == nil))
    }
    #expect(ComparedSection(results: results).rows.count == results.count)
  }

  private func measure(_ store: StoreKind) throws -> [ComparedResult<HistoryWork>] {
    let folder = try WorkFolder(in: nil)
    defer { folder.remove() }
    let catalogue = try EngineCatalogue([store], folder: folder, durability: .full)
    let engine = try #require(catalogue.engines.first)
    var extent = Extent(objects: 1_000)
    extent.saves = 16
    return try HistoryRun(engine: engine, data: SampleData(extent))
      .run(rounds: 1, progress: Progress(isQuiet: true))
  }

  @Test("goals are of ratios, of times, and of changes in a second")
  func goals() {
    func holds(
      _ work: HistoryWork, _ value: Double, _ beside: Double? = nil, _ store: StoreKind = .sqlite
    ) -> Bool? {
      ComparedResult(
        store: store, work: work, values: [value], besides: beside.map { [$0] } ?? []
      ).holds
    }
    #expect(holds(.save, 1.02, 1) == true && holds(.save, 1.04, 1) == false)
    #expect(holds(.save, 1.02, 1, .memory) == nil)
    #expect(holds(.read, 300_000) == true && holds(.read, 100_000) == false)
    #expect(holds(.told, 25) == false && holds(.told, 25, nil, .postgresql) == true)
  }
}
