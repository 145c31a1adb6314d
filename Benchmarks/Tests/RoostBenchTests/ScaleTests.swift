// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import RoostBench

@Suite(.serialized) struct ScaleTests {
  @Test("sizes grow tenfold up to the largest")
  func sizes() {
    #expect(ScaleRun.sizes(upTo: 10_000_000) == [1_000, 10_000, 100_000, 1_000_000, 10_000_000])
    #expect(ScaleRun.sizes(upTo: 99_999) == [1_000, 10_000])
  }

  @Test("what does not fit into the memory is not begun")
  func memory() {
    #expect(ScaleRun.fits(1_000_000, memory: 2 << 30))
    #expect(!ScaleRun.fits(10_000_000, memory: 8 << 30))
  }

  @Test("readers are counted up by doubling, then the writer comes in")
  func cases() {
    let cases = ConcurrencyRun.cases(6).map { "\($0.readers)\($0.hasWriter ? "w" : "")" }
    #expect(cases == ["1", "2", "4", "6", "0w", "1w", "6w"])
    #expect(ConcurrencyRun.cases(1).map(\.readers) == [1, 0])
  }

  @Test(
    "readers and a writer on threads of their own all get on",
    arguments: [StoreKind.sqlite, .memory])
  func threads(store: StoreKind) throws {
    let folder = try WorkFolder(in: nil)
    defer { folder.remove() }
    let catalogue = try EngineCatalogue([store], folder: folder, durability: .full)
    let engine = try #require(catalogue.engines.first)
    let run = ConcurrencyRun(
      engine: engine, data: SampleData(Extent(objects: 1_000)), duration: .milliseconds(200))
    let results = try run.run(threads: 2, progress: Progress(isQuiet: true))
    #expect(results.map(\.readers) == [1, 2, 0, 1, 2])
    for result in results {
      #expect((result.fetchesPerSecond > 0) == (result.readers > 0))
      #expect((result.savesPerSecond > 0) == result.hasWriter)
      #expect((result.saveMilliseconds == nil) != result.hasWriter)
    }
  }

  @Test("the memory of a process is read where the system writes it")
  func status() {
    let text = "Name:\troost\nVmHWM:\t    2048 kB\nVmRSS:\t    1024 kB\n"
    #expect(PeakMemory.value(of: "VmRSS", in: text) == 1_048_576)
    #expect(PeakMemory.value(of: "VmHWM", in: text) == 2_097_152)
    #expect(PeakMemory.value(of: "VmSwap", in: text) == nil)
  }
}
