// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import RoostBench

/// Tests of concurrent saves. Flushes are slowed down for the whole process, so one test runs at a time.
@Suite(.serialized) struct SaversTests {
  @Test(
    "one context saves, then several, and everything that was saved is there",
    arguments: [StoreKind.sqlite, .lmdb, .memory])
  func run(store: StoreKind) throws {
    let folder = try WorkFolder(in: nil)
    defer { folder.remove() }
    let catalogue = try EngineCatalogue([store], folder: folder, durability: .full)
    let engine = try #require(catalogue.engines.first)
    let run = SaversRun(
      engine: engine, data: SampleData(Extent(objects: 1_000)), flush: 1,
      duration: .milliseconds(100))
    let results = try run.run(savers: 4, rounds: 2, progress: Progress(isQuiet: true))
    #expect(results.map(\.savers) == [1, 4])
    for result in results {
      #expect(result.savesPerSecond > 0 && result.saveMilliseconds != nil)
      #expect((result.flushesPerSave ?? 1) > 0)
    }
    // Stores with files flush them; memory does not, and allows one thread only when it is used directly.
    #expect((results[1].flushesPerSave == nil) == (store == .memory))
    #expect((results[1].rawSavesPerSecond == nil) == (store != .sqlite))
  }

  @Test("a flush takes as long as it is told to, and is counted")
  func flushes() throws {
    try #require(Flushes.isAvailable)
    let file = FileManager.default.temporaryDirectory.appending(path: "roost-\(UUID().uuidString)")
    defer { try? FileManager.default.removeItem(at: file) }
    _ = FileManager.default.createFile(atPath: file.path, contents: Data([1]))
    let handle = try FileHandle(forWritingTo: file)
    let before = Flushes.count
    let time = try ContinuousClock().measure {
      try Flushes.taking(20) { try handle.synchronize() }
    }
    #expect(Flushes.count > before)
    #expect(time >= .milliseconds(20))
  }

  @Test("goals are those of a server, and of files on a slow disk")
  func goals() {
    func result(
      _ store: StoreKind, _ savers: Int, _ saves: Double, flush: Int? = 5, raw: Double? = nil
    ) -> SaversResult {
      SaversResult(
        store: store, savers: savers, flush: flush, savesPerSecond: saves, fairness: 1,
        rawSavesPerSecond: raw)
    }
    let server = result(.postgresql, 8, 600, raw: 1_000).goal(besides: nil)
    #expect(server?.goal == 0.7 && server?.value == 0.6)
    let one = result(.sqlite, 1, 100)
    #expect(result(.sqlite, 8, 500).goal(besides: one)?.value == 5)
    #expect(result(.sqlite, 8, 500, flush: nil).goal(besides: one) == nil)
    #expect(one.goal(besides: one) == nil)
    #expect(result(.memory, 8, 500).goal(besides: one) == nil)
  }
}
