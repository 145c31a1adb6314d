// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostCommandLine
import RoostConformance
import RoostInMemory
import RoostLMDB
import RoostPostgreSQL
import RoostSQLite
import RoostStore
import Synchronization

/// Runs the conformance kit on the stores of this package and prints the reports.
@main
enum ConformanceCommand {
  static func main() {
    let program = CommandProgram(CommandOptions.command { try run($0, $1) })
    exit(program.run(Array(CommandLine.arguments.dropFirst()), .standard))
  }

  private static func run(_ options: CommandOptions, _ console: CommandConsole) throws {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "roost-conformance-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let all = harnesses(in: folder)
    let harnesses = all.filter { options.wants($0.storeName) }
    guard !harnesses.isEmpty else {
      throw UsageError("There is no store “\(options.store?.rawValue ?? "")” here.")
    }
    if options.walks > 0 { return try walk(harnesses, options, console) }
    let companions = try options.companions.map { kind in
      guard let companion = all.first(where: { kind.isNamed($0.storeName) }) else {
        throw UsageError("There is no store “\(kind.rawValue)” here.")
      }
      return companion
    }
    let known =
      companions.isEmpty ? ConformanceCatalogue.all : ConformanceCatalogue.ofSeveralStores
    let cases = known.filter { $0.id.hasPrefix(options.casePrefix) }
    guard companions.isEmpty || !cases.isEmpty else {
      throw UsageError("No case over several stores begins with “\(options.casePrefix)”.")
    }
    let reports = reports(of: harnesses) { harness in
      ConformanceRun(harness, beside: companions, mode: options.mode, cases: cases).report()
    }
    for report in reports { try show(report, options, console) }
    if options.showsMarkdown { console.print(ConformanceReport.markdown(reports)) }
    var isRight = reports.allSatisfy(\.isConforming)
    if let document = options.document {
      // The store that answers are compared with is nobody's choice.
      let table = ConformanceReport.markdown(
        reports.filter { $0.storeName != StoreHarness.reference.storeName })
      if try !document.settle(table) { isRight = false }
    }
    if !isRight { throw CommandFailure() }
  }

  /// The reports on all stores, in their order. Half of a run is waiting for disks, servers and time-outs: so as many
  /// stores are looked at together as there are processors.
  private static func reports(
    of harnesses: [any ConformanceHarness],
    _ report: @Sendable (any ConformanceHarness) -> ConformanceReport
  ) -> [ConformanceReport] {
    let finished = Mutex<[Int: ConformanceReport]>([:])
    DispatchQueue.concurrentPerform(iterations: harnesses.count) { number in
      let made = report(harnesses[number])
      finished.withLock { $0[number] = made }
    }
    return finished.withLock { reports in harnesses.indices.compactMap { reports[$0] } }
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
  private static func walk(
    _ harnesses: [any ConformanceHarness], _ options: CommandOptions, _ console: CommandConsole
  ) throws {
    let failed = Failures()
    DispatchQueue.concurrentPerform(iterations: options.walks * harnesses.count) { number in
      let seed = options.seed + UInt64(number / harnesses.count)
      let run = WalkRun(
        harnesses[number % harnesses.count], layout: layout(options, seed))
      let steps = WalkScript.steps(
        seed: seed, count: options.steps, migrations: options.migrations)
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
    for failure in answers.withLock({ $0.sorted() }) { console.print(failure) }
    for (store, seed, failure) in failed.list {
      guard let harness = harnesses.first(where: { $0.storeName == store }) else { continue }
      let run = WalkRun(harness, layout: layout(options, seed))
      console.print("\(store), seed \(seed): \(run.shrunk(failure))\n")
    }
    let names = harnesses.map(\.storeName).joined(separator: ", ")
    console.print(
      "\(options.walks) walks of \(options.steps) steps from seed \(options.seed) on each of "
        + "\(names): \(options.walks * options.steps * harnesses.count) steps, "
        + "\(failed.list.count) walks went wrong")
    if !failed.list.isEmpty || !answers.withLock(\.isEmpty) { throw CommandFailure() }
  }

  /// Where the records of a walk lie: across stores, in every other walk each store has entities of its own.
  private static func layout(_ options: CommandOptions, _ seed: UInt64) -> WalkLayout {
    guard options.isAcrossStores else { return .together }
    return seed % 2 == 0 ? .mixed : .apart
  }

  private static func show(
    _ report: ConformanceReport, _ options: CommandOptions, _ console: CommandConsole
  ) throws {
    if options.showsJSON {
      console.write(String(decoding: try report.json(), as: UTF8.self))
    } else if !options.showsMarkdown {
      console.print(report.text + "\n")
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
