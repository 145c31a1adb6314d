// SPDX-License-Identifier: Apache-2.0

import RoostCommandLine

/// The options of `roost-bench` on a command line.
enum BenchParameters {
  static let stores = CommandOption<[StoreKind]>(
    "--stores", "LIST", "sqlite, postgresql, lmdb, memory; all that are there unless given."
  ) { try stores($0) }
  static let workloads = CommandOption<[String]>(
    "--workloads", "LIST",
    "\(WorkloadCatalogue.ids.joined(separator: ", ")); all unless given."
  ) { try workloads($0) }
  static let objects = number(
    "--objects", "How many persons, 1000 to 10000000; 100000 unless given.", 1_000...10_000_000)
  static let rounds = number(
    "--rounds", "How often each is measured, in turn; 5 unless given.", 1...1_000)
  static let durability = choice(
    Durability.self, "--durability", "LEVEL",
    "full: power loss, which is usual; extra: SQLite's EXTRA; relaxed: faster commits.")
  static let threads = number(
    "--threads", "Also: so many contexts that read beside one that writes.", 1...256)
  static let savers = number(
    "--savers",
    "Also: saves a second of 1 and of so many contexts, beside as many raw connections.", 1...256)
  static let flush = number(
    "--flush",
    "With --savers and --across: a flush of a file takes so many milliseconds at the least, as on a "
      + "slower disk.", 1...1_000)
  static let history = CommandFlag(
    "--history", "Also: writing with a history, reading it, the past, and live results.")
  static let evolution = CommandFlag(
    "--evolution",
    "Also: opening with other versions of the model, beside statements by hand.")
  static let across = CommandFlag(
    "--across", "Also: saves over several stores, and relationships from one into another.")
  static let scale = number(
    "--scale",
    "Also: W2, W3, W4 and W10 with 1,000, 10,000, ... up to so many objects, and memory.",
    1_000...10_000_000)
  static let folder = file(
    "--folder", "DIR",
    "Where the stores' files are made: the temporary folder unless given. A RAM disk makes saves look "
      + "fast.")
  static let json = file("--json", "FILE", "Writes all figures to a file.")
  static let compare = file("--compare", "FILE", "Compares with figures that were written before.")
  static let report = file("--report", "DIR", "Writes a page with charts: DIR/index.html.")
  static let isQuiet = CommandFlag("--quiet", "Shows no progress.")
  static let model = file(
    "--model", "FILE",
    "Measures with a model of your own, a .xcdatamodeld of Xcode, and made-up data.")
  static let record = file(
    "--record", "FILE", "Records what the workloads ask of the store that --stores names.")
  static let replay = file(
    "--replay", "FILE", "Plays a recording on the stores, and shows latencies.")
  static let counters = choice(
    BenchOptions.CountersMode.self, "--counters", "MODE",
    "Statements, round trips, rows, allocations instead of times: off, show, check, record.")
  static let thresholds = file(
    "--thresholds", "DIR", "The thresholds that they are checked against: Benchmarks/Thresholds.")
  static let instructions = choice(
    BenchOptions.InstructionsMode.self, "--instructions", "MODE",
    "Instructions of the workloads with 10,000 objects, by callgrind: off, show, check; with --across "
      + "those of saves beside another store instead.")
  static let profiles = file(
    "--profiles", "DIR", "Keeps callgrind's files there: callgrind_annotate shows them.")

  /// All of them, in the order of the help.
  static let all: [any CommandParameter] = [
    stores, workloads, objects, rounds, durability, threads, savers, flush, history, evolution,
    across, scale, folder, json, compare, report, isQuiet, model, record, replay, counters,
    thresholds, instructions, profiles,
  ]

  // MARK: - Values

  private static func file(
    _ name: String, _ placeholder: String, _ help: String
  ) -> CommandOption<String> {
    CommandOption(name, placeholder, help, completion: .files) { word in
      guard !word.isEmpty else { throw UsageError("needs a value") }
      return word
    }
  }

  /// An option with a number, whose thousands may be separated.
  private static func number(
    _ name: String, _ help: String, _ range: ClosedRange<Int>
  ) -> CommandOption<Int> {
    CommandOption(name, "N", help) { word in
      guard let number = Int(word.filter { $0 != "_" && $0 != "," }), range.contains(number) else {
        throw UsageError(
          "takes a number from \(range.lowerBound) to \(range.upperBound), not “\(word)”")
      }
      return number
    }
  }

  private static func choice<Choice>(
    _ type: Choice.Type, _ name: String, _ placeholder: String, _ help: String
  ) -> CommandOption<Choice>
  where Choice: RawRepresentable<String> & CaseIterable & Sendable {
    let known = Choice.allCases.map(\.rawValue)
    return CommandOption(name, placeholder, help, completion: .words(known)) { word in
      guard let choice = Choice(rawValue: word.lowercased()) else {
        throw UsageError("is one of \(known.joined(separator: ", ")), not “\(word)”")
      }
      return choice
    }
  }

  private static func stores(_ list: String) throws(UsageError) -> [StoreKind] {
    var stores: [StoreKind] = []
    for name in names(list) {
      guard let store = StoreKind(named: name) else {
        let known = StoreKind.allCases.map(\.rawValue).joined(separator: ", ")
        throw UsageError("names no store by “\(name)”; there are \(known)")
      }
      if !stores.contains(store) { stores.append(store) }
    }
    guard !stores.isEmpty else { throw UsageError("names no store") }
    return stores
  }

  private static func workloads(_ list: String) throws(UsageError) -> [String] {
    var ids: [String] = []
    for name in names(list) {
      let id = WorkloadCatalogue.ids.first { $0.lowercased() == name.lowercased() }
      guard let id else {
        let known = WorkloadCatalogue.ids.joined(separator: ", ")
        throw UsageError("names no workload by “\(name)”; there are \(known)")
      }
      if !ids.contains(id) { ids.append(id) }
    }
    guard !ids.isEmpty else { throw UsageError("names no workload") }
    return ids
  }

  private static func names(_ list: String) -> [String] {
    list.split(separator: ",").map(String.init)
  }
}

extension StoreKind {
  /// The store that people mean by a name.
  init?(named name: String) {
    switch name.lowercased() {
    case "postgres", "pg": self = .postgresql
    case "inmemory", "in-memory": self = .memory
    case let name: self.init(rawValue: name)
    }
  }
}
