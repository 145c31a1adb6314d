// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

@testable import RoostBench

@Suite struct ResultsTests {
  static func sample(roost: [Double] = [140, 141, 139], raw: [Double] = [100, 101, 99])
    -> BenchResults
  {
    var results = BenchResults(objects: 100_000, rounds: 3, durability: .full)
    results.engines = [.init(store: .sqlite, version: "SQLite 3", durability: "WAL")]
    for (side, values) in [(nil, roost), (Baseline.raw, raw), (Baseline.keeping, [150, 150, 150])] {
      for value in values {
        results.add(
          value, unit: "ms", to: .init(store: .sqlite, workload: "W2", baseline: side))
      }
    }
    return results
  }

  @Test("the ratio is the median of Roost by the median of the baseline that the goal names")
  func ratios() throws {
    let ratio = try #require(Self.sample().ratio(.sqlite, "W2"))
    #expect(ratio.value == 1.4)
    #expect(ratio.goal == Goal(1.4))
    #expect(ratio.holds == true)
    #expect(ratio.others.map(\.0) == [.keeping])
    let slow = try #require(Self.sample(roost: [200]).ratio(.sqlite, "W2"))
    #expect(slow.holds == false)
  }

  @Test("a goal is not judged against a baseline that it does not mean")
  func goalOfOtherBaseline() throws {
    var results = BenchResults(objects: 1_000, rounds: 1, durability: .full)
    results.add(5, unit: "ms", to: .init(store: .memory, workload: "W2", baseline: nil))
    results.add(1, unit: "ms", to: .init(store: .memory, workload: "W2", baseline: .raw))
    let ratio = try #require(results.ratio(.memory, "W2"))
    #expect(ratio.value == 5)
    #expect(ratio.goal == Goal(1.0, to: .keeping))
    #expect(ratio.holds == nil)
  }

  @Test("results are the same after JSON")
  func json() throws {
    let results = Self.sample()
    let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).json")
    defer { try? FileManager.default.removeItem(at: url) }
    try results.json().write(to: url)
    let read = try BenchResults(jsonFile: url.path)
    #expect(read.measurements == results.measurements)
    #expect(read.engines == results.engines)
    #expect(read.objects == 100_000)
  }

  @Test(
    "a file that holds no results is refused with its name",
    arguments: ["", "{}", "{\"format\": 99}", "[1, 2"])
  func badJSON(text: String) throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).json")
    defer { try? FileManager.default.removeItem(at: url) }
    try Data(text.utf8).write(to: url)
    let error = #expect(throws: BenchError.self) { try BenchResults(jsonFile: url.path) }
    #expect(error?.description.contains(url.lastPathComponent) == true)
    #expect(throws: BenchError.self) { try BenchResults(jsonFile: url.path + ".none") }
  }

  @Test("a comparison tells a change from the noise")
  func comparison() {
    let old = Self.sample()
    let same = ResultsComparison(old: old, new: Self.sample(roost: [142, 141, 140]))
    #expect(same.changes.map(\.isCertain) == [false])
    let slower = ResultsComparison(old: old, new: Self.sample(roost: [282, 280, 281]))
    #expect(slower.changes.map(\.isCertain) == [true])
    #expect(slower.text.contains("slower"))
    let faster = ResultsComparison(old: old, new: Self.sample(roost: [70, 71, 69]))
    #expect(faster.text.contains("faster"))
    let none = ResultsComparison(
      old: BenchResults(objects: 1, rounds: 1, durability: .full), new: old)
    #expect(none.changes.isEmpty)
    #expect(none.text.contains("no figure in common"))
  }

  @Test("sides that come to different results are an error that names both")
  func checksums() throws {
    var sum = Checksum()
    sum.add(1)
    var other = Checksum()
    other.add(2)
    var results = BenchResults(objects: 1, rounds: 1, durability: .full)
    let roost = Measurement.Key(store: .sqlite, workload: "W2", baseline: nil)
    results.add(1, unit: "ms", to: roost, checksum: sum)
    try results.agree(sum, for: .init(store: .memory, workload: "W2", baseline: .raw))
    let error = #expect(throws: BenchError.self) {
      try results.agree(other, for: .init(store: .sqlite, workload: "W2", baseline: .raw))
    }
    #expect(error?.description.contains("SQLite, raw") == true)
    #expect(error?.description.contains("SQLite, Roost") == true)
  }

  @Test("the table names stores, ratios, goals and whether they hold")
  func table() {
    let text = TextTable(results: Self.sample()).text
    #expect(text.contains("SQLite (SQLite 3; WAL)"))
    #expect(text.contains("1.40"))
    #expect(text.contains("holds"))
    #expect(text.contains("keeping 0.93"))
    #expect(TextTable(results: Self.sample(roost: [900])).text.contains("missed"))
  }

  @Test(
    "figures have as many digits as mean something",
    arguments: [
      (12_345.6, "12,346"), (345.6, "346"), (34.56, "34.6"), (3.456, "3.46"), (0.3456, "0.346"),
    ])
  func figures(value: Double, text: String) {
    #expect(Figures.digits(value) == text)
  }

  @Test(
    "a goal stands as it was set",
    arguments: [(0.15, "0.15"), (0.5, "0.5"), (1, "1.0"), (1.4, "1.4"), (5, "5"), (15, "15")])
  func goals(value: Double, text: String) {
    #expect(Figures.goal(value) == text)
  }

  @Test("a time that is left is said as people say it")
  func remaining() {
    #expect(Figures.remaining(42) == "42 s")
    #expect(Figures.remaining(200) == "3 min")
    #expect(Figures.remaining(7_300) == "2 h 1 min")
  }
}
