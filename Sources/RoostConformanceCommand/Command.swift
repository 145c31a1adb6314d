// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformance
import RoostInMemory
import RoostLMDB
import RoostPostgreSQL
import RoostSQLite
import RoostStore
import Synchronization

/// Runs the conformance kit on the stores of this package and prints the reports.
///
///     swift run roost-conformance [--store NAME] [--case PREFIX] [--reopening] [--json] [--markdown]
///     swift run roost-conformance --write FILE      puts the table of the stores into a document
///     swift run roost-conformance --check FILE      fails when the document has another table
///     swift run roost-conformance --walks COUNT [--steps COUNT] [--seed FIRST] [--store NAME]
@main
enum Command {
  static func main() throws {
    let options: CommandOptions
    do {
      options = try CommandOptions(CommandLine.arguments.dropFirst())
    } catch {
      FileHandle.standardError.write(Data("\(error)\n".utf8))
      exit(2)
    }
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "roost-conformance-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    if options.walks > 0 {
      walk(harnesses(in: folder).filter { options.wants($0.storeName) }, options)
      return
    }
    let cases = ConformanceCatalogue.all.filter { $0.id.hasPrefix(options.casePrefix) }
    var reports: [ConformanceReport] = []
    for harness in harnesses(in: folder) where options.wants(harness.storeName) {
      let report = ConformanceRun(harness, mode: options.mode, cases: cases).report()
      reports.append(report)
      try show(report, options)
    }
    if options.showsMarkdown { print(ConformanceReport.markdown(reports)) }
    var isRight = reports.allSatisfy(\.isConforming)
    if let document = options.document {
      // The store that answers are compared with is nobody's choice.
      let table = ConformanceReport.markdown(
        reports.filter { $0.storeName != StoreHarness.reference.storeName })
      if try !document.settle(table) { isRight = false }
    }
    if !isRight { exit(1) }
  }

  private static func harnesses(in folder: URL) -> [any ConformanceHarness] {
    var harnesses = [
      StoreHarness("SQLite") { .sqlite(at: folder.appending(path: "\(UUID().uuidString).sqlite")) },
      StoreHarness("LMDB") { .lmdb(at: folder.appending(path: "\(UUID().uuidString).lmdb")) },
      StoreHarness("InMemory") { .inMemory(named: UUID().uuidString) },
      StoreHarness("Binary") {
        .binary(at: folder.appending(path: "\(UUID().uuidString).binary"))
      },
    ]
    // A server is not made here: `Scripts/conformance` brings one.
    if let uri = ProcessInfo.processInfo.environment["DATABASE_URL"], !uri.isEmpty {
      harnesses.append(
        StoreHarness("PostgreSQL") { try .postgresql(uri, schema: "kit_\(UUID().uuidString)") })
    }
    return harnesses + [.reference]
  }

  /// Takes random walks, as many at a time as there are processors, and shows those that go wrong as small as they can
  /// be made.
  private static func walk(_ harnesses: [any ConformanceHarness], _ options: CommandOptions) {
    let failed = Failures()
    DispatchQueue.concurrentPerform(iterations: options.walks * harnesses.count) { number in
      let seed = options.seed + UInt64(number / harnesses.count)
      let run = WalkRun(harnesses[number % harnesses.count])
      let steps = WalkScript.steps(seed: seed, count: options.steps)
      guard let failure = run.failure(of: steps) else { return }
      failed.note(run.harness.storeName, seed, failure)
    }
    let answers = Mutex<[String]>([])
    DispatchQueue.concurrentPerform(iterations: options.walks * harnesses.count) { number in
      let run = OracleRun(harnesses[number % harnesses.count])
      guard let failure = run.failure(seed: options.seed + UInt64(number / harnesses.count)) else {
        return
      }
      answers.withLock { $0.append("\(run.harness.storeName), questions of \(failure)") }
    }
    // Each has eight threads of its own, so one after the other, and for some of the seeds.
    for number in stride(from: 0, to: options.walks, by: 10) {
      for harness in harnesses {
        let run = CrowdRun(harness)
        guard let failure = run.failure(seed: options.seed + UInt64(number), steps: options.steps)
        else { continue }
        answers.withLock { $0.append("\(harness.storeName), eight writers, \(failure)") }
      }
    }
    for failure in answers.withLock({ $0.sorted() }) { print(failure) }
    for (store, seed, failure) in failed.list {
      guard let harness = harnesses.first(where: { $0.storeName == store }) else { continue }
      print("\(store), seed \(seed): \(WalkRun(harness).shrunk(failure))\n")
    }
    let names = harnesses.map(\.storeName).joined(separator: ", ")
    print(
      "\(options.walks) walks of \(options.steps) steps from seed \(options.seed) on each of "
        + "\(names): \(options.walks * options.steps * harnesses.count) steps, "
        + "\(failed.list.count) walks went wrong")
    if !failed.list.isEmpty || !answers.withLock(\.isEmpty) { exit(1) }
  }

  private static func show(_ report: ConformanceReport, _ options: CommandOptions) throws {
    if options.showsJSON {
      FileHandle.standardOutput.write(try report.json())
    } else if !options.showsMarkdown {
      print(report.text + "\n")
    }
  }
}

/// The walks that went wrong, noted by many threads.
private final class Failures: Sendable {
  private let notes = Mutex<[(store: String, seed: UInt64, failure: WalkFailure)]>([])

  func note(_ store: String, _ seed: UInt64, _ failure: WalkFailure) {
    notes.withLock { $0.append((store, seed, failure)) }
  }

  var list: [(store: String, seed: UInt64, failure: WalkFailure)] {
    notes.withLock { $0.sorted { ($0.seed, $0.store) < ($1.seed, $1.store) } }
  }
}

/// What the command was asked to do.
struct CommandOptions {
  var store: String?
  var casePrefix = ""
  var mode = ConformanceRun.Mode.plain
  var showsJSON = false
  var showsMarkdown = false
  var walks = 0
  var steps = 150
  var seed: UInt64 = 1
  var document: TableDocument?

  init(_ arguments: some Sequence<String>) throws {
    var rest = Array(arguments)[...]
    while let word = rest.popFirst() {
      switch word {
      case "--store": store = rest.popFirst()
      case "--case": casePrefix = rest.popFirst() ?? ""
      case "--reopening": mode = .reopening
      case "--json": showsJSON = true
      case "--markdown": showsMarkdown = true
      case "--check": document = TableDocument(path: rest.popFirst() ?? "", isWritten: false)
      case "--write": document = TableDocument(path: rest.popFirst() ?? "", isWritten: true)
      case "--walks": walks = try Self.number(rest.popFirst(), word)
      case "--steps": steps = try Self.number(rest.popFirst(), word)
      case "--seed": seed = UInt64(try Self.number(rest.popFirst(), word))
      default: throw UnknownOption(word: word)
      }
    }
  }

  private static func number(_ word: String?, _ option: String) throws -> Int {
    guard let number = word.flatMap({ Int($0) }), number >= 0 else {
      throw UnknownOption(word: "\(option) \(word ?? "")")
    }
    return number
  }

  func wants(_ name: String) -> Bool {
    guard let store else { return true }
    return store.lowercased() == name.lowercased()
  }
}

/// A word that is no option.
struct UnknownOption: Error, CustomStringConvertible {
  let word: String

  var description: String {
    "\(word) is none of --store NAME, --case PREFIX, --reopening, --json, --markdown, "
      + "--check FILE, --write FILE, --walks COUNT, --steps COUNT, --seed FIRST"
  }
}
