// SPDX-License-Identifier: Apache-2.0

import RoostCommandLine
import RoostConformance

/// The options of the command.
struct CommandOptions {
  var store: StoreKind?
  /// The kinds of the additional stores in each stack.
  var companions: [StoreKind]
  var casePrefix: String
  var mode: ConformanceRun.Mode
  var showsJSON: Bool
  var showsMarkdown: Bool
  var walks: Int
  var steps: Int
  var seed: UInt64
  var migrations: Int
  var isAcrossStores: Bool
  var document: TableDocument?

  private static let store = StoreKind.option("--store", "Runs on this store only")
  private static let companions = StoreKind.option(
    "--beside",
    "Runs the cases over several stores, with a store of this kind beside each one; twice for two",
    isRepeated: true)
  private static let casePrefix = CommandOption(
    "--case", "PREFIX", "Runs the cases only whose names begin like this.")
  private static let isReopening = CommandFlag(
    "--reopening", "Opens the store anew after each save.")
  private static let json = CommandFlag("--json", "Prints the reports as JSON.")
  private static let markdown = CommandFlag("--markdown", "Prints the table of the stores.")
  private static let check = CommandOption(
    "--check", "FILE", "Fails when the document has another table.", completion: .files)
  private static let write = CommandOption(
    "--write", "FILE", "Puts the table into the document.", completion: .files)
  private static let walks = CommandOption(
    "--walks", "COUNT", "Takes random walks on each store instead.", in: 0...Int.max)
  private static let steps = CommandOption(
    "--steps", "COUNT", "How many steps a walk has (150).", in: 0...Int.max)
  private static let seed = CommandOption(
    "--seed", "FIRST", "The seed of the first walk (1).", in: 0...Int.max)

  private static let migrations = CommandOption(
    "--migrations", "PERCENT", "How many of a hundred steps change the model (0).", in: 0...100)

  private static let across = CommandFlag(
    "--across", "Walks over two stores, with relationships between them.")

  /// Returns the command with its options.
  static func command(
    _ run: @escaping @Sendable (CommandOptions, CommandConsole) throws -> Void
  ) -> Command {
    Command(
      "roost-conformance", "Runs the conformance kit on the stores of this package.",
      discussion: "A PostgreSQL server is the one that DATABASE_URL names.",
      parameters: [
        store, companions, casePrefix, isReopening, json, markdown, check, write, walks, steps,
        seed,
        migrations, across,
      ],
      exclusive: [
        ["--check", "--write"], ["--json", "--markdown"], ["--beside", "--walks"],
        ["--beside", "--check"], ["--beside", "--write"],
      ]
    ) { parsed, console in
      try run(CommandOptions(parsed), console)
    }
  }

  private init(_ parsed: ParsedArguments) {
    store = parsed[Self.store]
    companions = parsed.all(Self.companions)
    casePrefix = parsed[Self.casePrefix] ?? ""
    mode = parsed[Self.isReopening] ? .reopening : .plain
    showsJSON = parsed[Self.json]
    showsMarkdown = parsed[Self.markdown]
    walks = parsed[Self.walks] ?? 0
    steps = parsed[Self.steps] ?? 150
    seed = UInt64(parsed[Self.seed] ?? 1)
    migrations = parsed[Self.migrations] ?? 0
    isAcrossStores = parsed[Self.across]
    document =
      parsed[Self.check].map { TableDocument(path: $0, isWritten: false) }
      ?? parsed[Self.write].map { TableDocument(path: $0, isWritten: true) }
  }

  func wants(_ name: String) -> Bool { store?.isNamed(name) ?? true }
}
