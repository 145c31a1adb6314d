// SPDX-License-Identifier: Apache-2.0

import Testing

@testable import RoostBench

@Suite struct SpreadTests {
  @Test("quartiles lie between the two nearest values in proportion")
  func quartiles() throws {
    let spread = try #require(Spread([40, 10, 30, 20]))
    #expect(spread.minimum == 10)
    #expect(spread.lowerQuartile == 17.5)
    #expect(spread.median == 25)
    #expect(spread.upperQuartile == 32.5)
    #expect(spread.maximum == 40)
    #expect(spread.count == 4)
  }

  @Test("one value is its own spread, and none has no spread")
  func fewValues() {
    #expect(Spread([])?.median == nil)
    let one = Spread([7])
    #expect(one?.minimum == 7 && one?.median == 7 && one?.upperQuartile == 7)
    #expect(one?.relativeDeviation == 0)
  }

  @Test("the middle does not follow an outlier")
  func outlier() {
    #expect(Spread([1, 2, 3, 4, 1_000])?.median == 3)
  }

  @Test("spreads are apart when their middle halves have nothing in common")
  func apart() throws {
    let low = try #require(Spread([1, 2, 3]))
    let high = try #require(Spread([10, 11, 12]))
    #expect(low.isApart(from: high) && high.isApart(from: low))
    #expect(!low.isApart(from: low))
  }

  @Test("percentiles of latencies")
  func percentiles() throws {
    let latencies = try #require(Percentiles((0...100).map(Double.init).shuffled()))
    #expect(latencies.p50 == 50 && latencies.p95 == 95 && latencies.p99 == 99)
    #expect(latencies.maximum == 100)
    #expect(Percentiles([])?.p50 == nil)
  }
}
