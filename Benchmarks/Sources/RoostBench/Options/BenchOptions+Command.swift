// SPDX-License-Identifier: Apache-2.0

import RoostCommandLine

extension BenchOptions {
  /// Returns the command with its options.
  ///
  /// - Parameter run: Does what the options say.
  static func command(_ run: @escaping @Sendable (BenchOptions) throws -> Void) -> Command {
    Command(
      "roost-bench",
      "Measures every store that is there, each beside the same engine called directly.",
      discussion: """
        The ratios are printed. Nothing else should run on the machine. PostgreSQL is the server that
        DATABASE_URL names, or a private one that is started and stopped. Ctrl-C ends the run with what is done
        so far, a second one at once; the exit code is 130 then. See Benchmarks/README.md for how to read the
        numbers.
        """,
      parameters: BenchParameters.all
    ) { parsed, _ in
      try run(BenchOptions(parsed))
    }
  }

  /// Takes the options of a command line.
  ///
  /// - Throws: ``UsageError`` for options that mean nothing beside each other.
  init(_ parsed: ParsedArguments) throws(UsageError) {
    self.init()
    stores = parsed[BenchParameters.stores]
    workloads = parsed[BenchParameters.workloads]
    objects = parsed[BenchParameters.objects] ?? Self.usualObjects
    rounds = parsed[BenchParameters.rounds] ?? rounds
    durability = parsed[BenchParameters.durability] ?? durability
    threads = parsed[BenchParameters.threads]
    savers = parsed[BenchParameters.savers]
    flush = parsed[BenchParameters.flush]
    measuresHistory = parsed[BenchParameters.history]
    measuresEvolution = parsed[BenchParameters.evolution]
    measuresAcross = parsed[BenchParameters.across]
    scale = parsed[BenchParameters.scale]
    folder = parsed[BenchParameters.folder]
    jsonFile = parsed[BenchParameters.json]
    compareFile = parsed[BenchParameters.compare]
    reportFolder = parsed[BenchParameters.report]
    isQuiet = parsed[BenchParameters.isQuiet]
    modelFile = parsed[BenchParameters.model]
    recordFile = parsed[BenchParameters.record]
    replayFile = parsed[BenchParameters.replay]
    counters = parsed[BenchParameters.counters] ?? .off
    thresholdsFolder = parsed[BenchParameters.thresholds]
    instructions = parsed[BenchParameters.instructions] ?? .off
    profilesFolder = parsed[BenchParameters.profiles]
    try checkCombinations()
    try checkCompanions(parsed)
  }

  /// The options that make the program do something else than measure the workloads.
  private var modes: [String] {
    [
      ("--model", modelFile != nil), ("--replay", replayFile != nil),
      ("--record", recordFile != nil), ("--counters", counters != .off),
      ("--instructions", instructions != .off),
    ].filter(\.1).map(\.0)
  }

  /// What means something beside one of the modes.
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

  private func checkCombinations() throws(UsageError) {
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
  }

  /// Refuses options that mean nothing beside the mode.
  private func checkCompanions(_ parsed: ParsedArguments) throws(UsageError) {
    guard let mode = modes.first, let companions = Self.companions[mode] else { return }
    let given: [(name: String, isGiven: Bool)] = [
      ("--stores", stores != nil), ("--workloads", workloads != nil),
      ("--objects", parsed[BenchParameters.objects] != nil),
      ("--rounds", parsed[BenchParameters.rounds] != nil),
      ("--durability", parsed[BenchParameters.durability] != nil), ("--threads", threads != nil),
      ("--savers", savers != nil), ("--flush", flush != nil), ("--history", measuresHistory),
      ("--evolution", measuresEvolution), ("--across", measuresAcross), ("--scale", scale != nil),
      ("--folder", folder != nil), ("--json", jsonFile != nil), ("--compare", compareFile != nil),
      ("--report", reportFolder != nil), ("--thresholds", thresholdsFolder != nil),
      ("--profiles", profilesFolder != nil),
    ]
    if let stranger = given.first(where: { $0.isGiven && !companions.contains($0.name) }) {
      throw UsageError("\(stranger.name) means nothing beside \(mode).")
    }
  }
}
