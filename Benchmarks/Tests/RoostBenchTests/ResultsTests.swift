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

  @Test("a goal can be a time, or a ratio and a time, and then both have to hold")
  func timeGoals() {
    func ratio(_ goal: Goal, _ time: Double, _ raw: Double?, unit: String = "ns") -> Ratio {
      let spread = Spread([time])!
      return Ratio(
        store: .memory, workload: "A1", roost: spread,
        baseline: raw.flatMap { Spread([$0]) }.map { (.raw, $0) }, others: [], goal: goal,
        unit: unit)
    }
    #expect(ratio(Goal(nanoseconds: 3), 2.9, nil).holds == true)
    #expect(ratio(Goal(nanoseconds: 3), 3.1, 9).holds == false)
    #expect(ratio(Goal(nanoseconds: 3), 1, nil, unit: "ms").holds == nil)
    let both = Goal(ratio: 3, nanoseconds: 2)
    #expect(both.text == "3, 2 ns")
    #expect(ratio(both, 1.9, 1).holds == true)
    #expect(ratio(both, 2.1, 1).holds == false)
    #expect(ratio(both, 1.9, 0.5).holds == false)
    #expect(ratio(both, 1.9, nil).holds == nil)
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
    arguments: ["", "{}", "{\"format\": 99}", "[1, 2", "{\"format\": 1}", "{\"format\": \"a\"}"])
  func badJSON(text: String) throws {
    let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).json")
    defer { try? FileManager.default.removeItem(at: url) }
    try Data(text.utf8).write(to: url)
    let error = #expect(throws: BenchError.self) { try BenchResults(jsonFile: url.path) }
    #expect(error?.description.contains(url.lastPathComponent) == true)
    #expect(error?.description.hasSuffix(".") == true && error?.description.contains("(") == false)
    #expect(throws: BenchError.self) { try BenchResults(jsonFile: url.path + ".none") }
  }

  @Test("a comparison tells a change from the noise")
  func comparison() {
    let old = Self.sample()
    let same = ResultsComparison(old: old, new: Self.sample(roost: [142, 141, 140]))
    #expect(same.changes.map(\.verdict) == [.noise])
    let slower = ResultsComparison(old: old, new: Self.sample(roost: [282, 280, 281]))
    #expect(slower.changes.map(\.verdict) == [.slower])
    #expect(slower.text.contains("slower"))
    let faster = ResultsComparison(old: old, new: Self.sample(roost: [70, 71, 69]))
    #expect(faster.text.contains("faster"))
    let none = ResultsComparison(
      old: BenchResults(objects: 1, rounds: 1, durability: .full), new: old)
    #expect(none.changes.isEmpty)
    #expect(none.text.contains("no figure in common"))
  }

  @Test("one round has no spread, so nothing is called slower for it")
  func oneRound() {
    let old = Self.sample(roost: [140], raw: [100])
    let now = ResultsComparison(old: old, new: Self.sample(roost: [500], raw: [100]))
    #expect(now.changes.map(\.verdict) == [.unknown])
    #expect(now.text.contains("no spread") && !now.text.contains("slower"))
  }

  @Test("runs of another size, durability or build are told apart")
  func differences() {
    let old = Self.sample()
    #expect(ResultsComparison(old: old, new: Self.sample()).differences.isEmpty)
    var new = Self.sample()
    new.objects = 1_000
    new.durability = .extra
    new.machine.isOptimized.toggle()
    new.engines = [.init(store: .sqlite, version: "SQLite 4", durability: "none")]
    let comparison = ResultsComparison(old: old, new: new)
    #expect(comparison.differences.count == 4)
    for part in ["size", "durability", "SQLite 4", "optimization"] {
      #expect(comparison.text.contains(part), "\(part)")
      #expect(ComparisonSection(comparison: comparison).html.contains(part), "\(part)")
    }
    var server = Self.sample()
    server.engines[0].durability = "fsync = off"
    #expect(
      ResultsComparison(old: old, new: server).differences
        == ["SQLite differs in durability: WAL; now fsync = off."])
  }

  @Test("titles have the numbers of the run")
  func titles() {
    #expect(WorkloadTitles.title("W3", Extent(objects: 2_000)).hasPrefix("2,000 lookups"))
    #expect(WorkloadTitles.title("W8", Extent(objects: 2_000)).hasPrefix("200 objects"))
    #expect(WorkloadTitles.title("W4", Extent(objects: 10_000_000)).hasPrefix("100 queries"))
    #expect(WorkloadTitles.title("M2", Extent(objects: 2_000)).hasPrefix("memory"))
  }

  @Test("what could not be measured is told, and the rest shown")
  func failures() throws {
    var results = Self.sample()
    results.fail("SQLite W5, Roost, round 2", BenchError("<no> room"))
    #expect(TextTable(results: results).text.contains("NOT MEASURED: SQLite W5, Roost, round 2"))
    #expect(TextTable(results: results).text.contains("1.40"))
    #expect(HTMLReport(results: results).html.contains("&lt;no&gt; room"))
    let url = FileManager.default.temporaryDirectory.appending(path: "\(UUID().uuidString).json")
    defer { try? FileManager.default.removeItem(at: url) }
    try results.json().write(to: url)
    #expect(try BenchResults(jsonFile: url.path).failures == results.failures)
  }

  @Test("a report without ratios does not speak of goals, and one with ratios has them in front")
  func reports() {
    var model = BenchResults(objects: 10, rounds: 1, durability: .full)
    model.add(1, unit: "ms", to: .init(store: .memory, workload: "insert", baseline: nil))
    #expect(!HTMLReport(results: model).html.contains("goals that hold"))
    #expect(!TextTable(results: model).text.contains("ratio is the figure"))
    let html = HTMLReport(results: Self.sample()).html
    #expect(html.contains("goals that hold"))
    #expect(html.contains("<th scope=\"col\"></th><th scope=\"col\">ratio</th>"))
  }

  @Test("the times of several stores stand side by side, on one scale for all workloads")
  func times() {
    #expect(TimesSection(results: Self.sample()).groups.isEmpty)
    #expect(!HTMLReport(results: Self.sample()).html.contains("Times of all stores"))
    var results = Self.sample()
    results.add(1.4, unit: "ms", to: .init(store: .memory, workload: "W2", baseline: nil))
    results.add(9, unit: "MB", to: .init(store: .memory, workload: "M2", baseline: nil))
    let section = TimesSection(results: results)
    #expect(section.groups.map(\.workload) == ["W2"])
    #expect(
      section.groups.first?.bars == [
        .init(store: .sqlite, milliseconds: 140), .init(store: .memory, milliseconds: 1.4),
      ])
    let html = HTMLReport(results: results).html
    #expect(html.contains("<span>SQLite</span>"))
    #expect(html.contains("<span>140 ms</span>"))
    #expect(html.contains("class=\"memory\" style=\"width: "))
    for store in results.stores { #expect(html.contains(store.advice)) }
  }

  @Test("a report of fewer objects than the goals are meant for says so")
  func fewObjects() {
    #expect(!HTMLReport(results: Self.sample()).html.contains("fixed costs weigh more"))
    var results = BenchResults(objects: 2_000, rounds: 1, durability: .full)
    results.add(5, unit: "ms", to: .init(store: .memory, workload: "W2", baseline: nil))
    results.add(1, unit: "ms", to: .init(store: .memory, workload: "W2", baseline: .raw))
    #expect(HTMLReport(results: results).html.contains("fixed costs weigh more"))
  }

  @Test("places where nothing can be written are refused before anything is measured")
  func places() throws {
    let folder = try WorkFolder(in: nil)
    defer { folder.remove() }
    var options = BenchOptions()
    options.jsonFile = folder.url.path
    #expect(throws: BenchError.self) { try OutputFiles(options) }
    options.jsonFile = folder.url.path + "/none/a.json"
    #expect(throws: BenchError.self) { try OutputFiles(options) }
    options.jsonFile = nil
    options.reportFolder = "/dev/null/report"
    #expect(throws: BenchError.self) { try OutputFiles(options) }
    options.jsonFile = folder.url.path + "/a.json"
    options.reportFolder = folder.url.path + "/report"
    _ = try OutputFiles(options)
    #expect(try FileManager.default.contentsOfDirectory(atPath: folder.url.path) == ["report"])
  }

  @Test("a report that cannot be written does not keep the figures from their file")
  func independence() throws {
    let folder = try WorkFolder(in: nil)
    defer { folder.remove() }
    var options = BenchOptions()
    options.jsonFile = folder.url.path + "/a.json"
    options.reportFolder = folder.url.path + "/report"
    let output = try OutputFiles(options)
    // A folder has the name of the page, so that it cannot be written.
    try FileManager.default.createDirectory(
      atPath: folder.url.path + "/report/index.html/x", withIntermediateDirectories: true)
    let written = output.write(Self.sample(), nil)
    #expect(written.page == nil)
    #expect(written.failures.count == 1)
    #expect(try BenchResults(jsonFile: folder.url.path + "/a.json").objects == 100_000)
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
