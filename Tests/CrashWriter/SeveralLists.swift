// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostConformance

/// Processes that append to the same lists of several stores at once, while some processes are killed, or servers are
/// restarted as after a crash: no value is lost or in only one store, and the values read are consistent (X3, X6,
/// X21).
struct SeveralLists {
  let kinds: [StoreKind]
  let processes: Int
  /// The number of transactions of each process.
  let count: Int
  /// The number of killed processes or restarted servers.
  let kills: Int
  let seed: UInt64
  /// Whether they deliberately save to one store after the other, as a control: the check must detect it.
  let isTorn: Bool

  struct Report {
    var committed = 0
    var aborted = 0
    /// Transactions whose outcome is unknown.
    var unknown = 0
    var restarts = 0
  }

  private var names: String { kinds.map(\.name).joined(separator: ",") }

  /// Runs the processes.
  ///
  /// - Throws: An `Inspection.Finding` for the first inconsistency.
  func run() throws -> Report {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "roost-several-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    let places = SeveralPlaces(kinds: kinds, folder: folder)
    defer { try? places.remove() }
    try opening(places) { container in
      try TwinListWorkload.prepare(
        container.newBackgroundContext(), in: container.persistentStoreCoordinator.persistentStores)
    }
    var report = Report()
    let history = try transactions(places, &report)
    try places.waitUntilLeft()
    try opening(places) { container in
      let lists = try TwinListWorkload.lists(
        container.newBackgroundContext(), stores: kinds.count)
      try check(history, lists)
      try SeveralLedger(container: container, places: places)
        .requireNothingLeft("after all processes")
    }
    report.committed = history.count { $0.outcome == .committed }
    report.aborted = history.count { $0.outcome == .aborted }
    report.unknown = history.count { $0.outcome == .unknown }
    return report
  }

  private func check(_ history: [ListTransaction], _ lists: [Int: [Int]]) throws {
    if let difference = TwinListWorkload.difference(in: lists, stores: kinds.count) {
      throw Inspection.Finding(description: "torn: \(difference)")
    }
    if let (anomaly, example) = ListHistoryCheck(history, final: lists).found.first {
      throw Inspection.Finding(description: "\(anomaly.rawValue): \(example)")
    }
  }

  /// Runs processes until all are done, and kills some of them meanwhile.
  private func transactions(
    _ places: SeveralPlaces, _ report: inout Report
  ) throws -> [ListTransaction] {
    var random = SplitMix64(seed: seed)
    var worker = 0
    func start() throws -> Child {
      defer { worker += 1 }
      return try Child(
        [
          "several-append", names, places.folder.path(percentEncoded: false), "\(worker)",
          "\(count)",
        ]
          + (isTorn ? ["torn"] : []))
    }
    var children = try (0..<processes).map { _ in try start() }
    var history: [ListTransaction] = []
    let restarts = ServerCommand.all("ROOST_RESTARTS")
    for number in 0..<kills {
      usleep(UInt32.random(in: 20_000...250_000, using: &random))
      if !restarts.isEmpty, number % 2 == 0 {
        try restarts[(number / 2) % restarts.count].run()
        report.restarts += 1
        continue
      }
      let victim = children.remove(at: Int.random(in: 0..<children.count, using: &random))
      history += try Self.transactions(in: victim.kill(), isWhole: false)
      children.append(try start())
    }
    for child in children {
      history += try Self.transactions(in: child.lines(), isWhole: true)
    }
    return history
  }

  /// Parses the output of a process, which prints each transaction before it is saved (`+`) and after (`=`).
  private static func transactions(
    in lines: [String], isWhole: Bool
  ) throws -> [ListTransaction] {
    var found: [ListTransaction] = []
    var last: ListTransaction?
    for line in lines where line.hasPrefix("+") || line.hasPrefix("=") {
      let transaction = try JSONDecoder().decode(
        ListTransaction.self, from: Data(line.dropFirst().utf8))
      if line.hasPrefix("+") {
        last = transaction
      } else {
        found.append(transaction)
        last = nil
      }
    }
    guard isWhole else { return found + (last.map { [$0] } ?? []) }
    guard lines.last == "done" else {
      throw Inspection.Finding(description: "A process said: \(lines.suffix(3))")
    }
    return found
  }

  private func opening(
    _ places: SeveralPlaces, _ body: (PersistentContainer) throws -> Void
  ) throws {
    let container = try places.open(killing: false, model: ListWorkload.makeModel())
    container.persistentStoreCoordinator.readsAcrossStores = .wholeSaves
    let result = Result { try body(container) }
    for store in container.persistentStoreCoordinator.persistentStores {
      try container.persistentStoreCoordinator.remove(store)
    }
    try result.get()
  }

  /// Runs transactions, and prints each.
  static func append(_ places: SeveralPlaces, _ workload: TwinListWorkload, isTorn: Bool) throws {
    let container = try places.open(killing: false, model: ListWorkload.makeModel())
    let coordinator = container.persistentStoreCoordinator
    coordinator.readsAcrossStores = isTorn ? .eachStore : .wholeSaves
    if isTorn { coordinator.crossStoreSaves = .perStore }
    func tell(_ sign: String, _ transaction: ListTransaction) throws {
      let text = String(decoding: try JSONEncoder().encode(transaction), as: UTF8.self)
      Terminal.say(sign + text)
    }
    try workload.run(
      container.newBackgroundContext(), stores: places.kinds.count, begin: { try tell("+", $0) },
      end: { try tell("=", $0) })
    for store in coordinator.persistentStores { try coordinator.remove(store) }
    Terminal.say("done")
  }
}

/// A shell command for a server, from an environment variable.
struct ServerCommand {
  let text: String

  /// Returns the commands of a variable, one per line.
  static func all(_ variable: String) -> [ServerCommand] {
    (ProcessInfo.processInfo.environment[variable] ?? "").split(separator: "\n")
      .map { ServerCommand(text: String($0)) }
  }

  func run() throws {
    let process = Process()
    process.executableURL = URL(filePath: "/bin/sh")
    process.arguments = ["-c", text]
    process.standardOutput = FileHandle.nullDevice
    try process.run()
    process.waitUntilExit()
    guard process.terminationStatus == 0 else {
      throw Inspection.Finding(description: "“\(text)” failed: \(process.terminationStatus)")
    }
  }
}
