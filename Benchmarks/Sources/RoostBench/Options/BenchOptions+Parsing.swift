// SPDX-License-Identifier: Apache-2.0

extension BenchOptions {
  /// Reads the words of a command line; `--name value` and `--name=value` are the same.
  ///
  /// - Throws: ``UsageError`` with a sentence that says which word, and what it could have been.
  init(_ arguments: some Sequence<String>) throws(UsageError) {
    var words = Self.split(arguments)[...]
    var given: [String] = []
    while let word = words.popFirst() {
      given.append(word)
      switch word {
      case "--help", "-h": showsHelp = true
      case "--quiet": isQuiet = true
      case "--stores": stores = try Self.stores(Self.value(of: word, &words))
      case "--workloads": workloads = try Self.workloads(Self.value(of: word, &words))
      case "--objects": objects = try Self.number(word, &words, 1_000...10_000_000)
      case "--rounds": rounds = try Self.number(word, &words, 1...1_000)
      case "--durability": durability = try Self.choice(word, &words)
      case "--threads": threads = try Self.number(word, &words, 1...256)
      case "--savers": savers = try Self.number(word, &words, 1...256)
      case "--flush": flush = try Self.number(word, &words, 1...1_000)
      case "--history": measuresHistory = true
      case "--evolution": measuresEvolution = true
      case "--across": measuresAcross = true
      case "--scale": scale = try Self.number(word, &words, 1_000...10_000_000)
      case "--folder": folder = try Self.value(of: word, &words)
      case "--json": jsonFile = try Self.value(of: word, &words)
      case "--compare": compareFile = try Self.value(of: word, &words)
      case "--report": reportFolder = try Self.value(of: word, &words)
      case "--model": modelFile = try Self.value(of: word, &words)
      case "--replay": replayFile = try Self.value(of: word, &words)
      case "--record": recordFile = try Self.value(of: word, &words)
      case "--counters": counters = try Self.choice(word, &words)
      case "--thresholds": thresholdsFolder = try Self.value(of: word, &words)
      case "--instructions": instructions = try Self.choice(word, &words)
      case "--profiles": profilesFolder = try Self.value(of: word, &words)
      case ChildTask.option: child = try ChildTask(Self.value(of: word, &words))
      default:
        throw UsageError("\(word) is no option of roost-bench; --help lists them.")
      }
    }
    try checkCombinations(given)
  }

  /// What means something beside an option that makes the program do something else than measure the workloads.
  private static let companions: [String: Set<String>] = [
    "--model": [
      "--stores", "--objects", "--rounds", "--durability", "--folder", "--json", "--report",
    ],
    "--replay": ["--stores", "--durability", "--folder"],
    "--record": ["--stores", "--objects", "--durability", "--folder"],
    "--instructions": [
      "--stores", "--workloads", "--objects", "--durability", "--folder", "--profiles", "--across",
    ],
    "--counters": ["--stores", "--workloads", "--durability", "--folder", "--thresholds"],
  ]

  /// - Parameter given: All options of the command line.
  private func checkCombinations(_ given: [String]) throws(UsageError) {
    let modes = [
      ("--model", modelFile != nil), ("--replay", replayFile != nil),
      ("--record", recordFile != nil),
      ("--counters", counters != .off), ("--instructions", instructions != .off),
    ].filter(\.1).map(\.0)
    if modes.count > 1 { throw UsageError("\(modes[0]) and \(modes[1]) exclude each other.") }
    if recordFile != nil, stores?.count != 1 {
      throw UsageError("--record takes one store: name it with --stores.")
    }
    if thresholdsFolder != nil, counters == .off {
      throw UsageError("--thresholds belongs to --counters check or --counters record.")
    }
    if profilesFolder != nil, instructions == .off {
      throw UsageError("--profiles belongs to --instructions: callgrind writes them.")
    }
    if flush != nil, savers == nil, !measuresAcross {
      throw UsageError(
        "--flush belongs to --savers or --across: flushes are drawn out only there.")
    }
    if counters == .record, workloads != nil {
      throw UsageError(
        "--counters record writes the thresholds of all workloads: leave --workloads out.")
    }
    guard let mode = modes.first, let companions = Self.companions[mode] else { return }
    let others = companions.union([mode, "--quiet", "--help", "-h"])
    if let stranger = given.first(where: { !others.contains($0) }) {
      throw UsageError("\(stranger) means nothing beside \(mode).")
    }
  }

  private static func split(_ arguments: some Sequence<String>) -> [String] {
    arguments.flatMap { word -> [String] in
      guard word.hasPrefix("--"), let sign = word.firstIndex(of: "=") else { return [word] }
      return [String(word[..<sign]), String(word[word.index(after: sign)...])]
    }
  }

  private static func value(
    of option: String, _ words: inout ArraySlice<String>
  ) throws(UsageError) -> String {
    guard let word = words.first, !word.isEmpty, !word.hasPrefix("--") else {
      throw UsageError("\(option) needs a value.")
    }
    words.removeFirst()
    return word
  }

  private static func number(
    _ option: String, _ words: inout ArraySlice<String>, _ range: ClosedRange<Int>
  ) throws(UsageError) -> Int {
    let word = try value(of: option, &words)
    let digits = word.filter { $0 != "_" && $0 != "," }
    guard let number = Int(digits), range.contains(number) else {
      throw UsageError(
        "\(option) takes a number from \(range.lowerBound) to \(range.upperBound), not '\(word)'.")
    }
    return number
  }

  private static func choice<Choice: RawRepresentable<String> & CaseIterable>(
    _ option: String, _ words: inout ArraySlice<String>
  ) throws(UsageError) -> Choice {
    let word = try value(of: option, &words)
    guard let choice = Choice(rawValue: word.lowercased()) else {
      let known = Choice.allCases.map(\.rawValue).joined(separator: ", ")
      throw UsageError("\(option) is one of \(known), not '\(word)'.")
    }
    return choice
  }

  private static func stores(_ list: String) throws(UsageError) -> [StoreKind] {
    var stores: [StoreKind] = []
    for name in names(list) {
      guard let store = StoreKind(named: name) else {
        let known = StoreKind.allCases.map(\.rawValue).joined(separator: ", ")
        throw UsageError("There is no store '\(name)'; there are \(known).")
      }
      if !stores.contains(store) { stores.append(store) }
    }
    guard !stores.isEmpty else { throw UsageError("--stores names no store.") }
    return stores
  }

  private static func workloads(_ list: String) throws(UsageError) -> [String] {
    var ids: [String] = []
    for name in names(list) {
      let id = WorkloadCatalogue.ids.first { $0.lowercased() == name.lowercased() }
      guard let id else {
        let known = WorkloadCatalogue.ids.joined(separator: ", ")
        throw UsageError("There is no workload '\(name)'; there are \(known).")
      }
      if !ids.contains(id) { ids.append(id) }
    }
    guard !ids.isEmpty else { throw UsageError("--workloads names no workload.") }
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
