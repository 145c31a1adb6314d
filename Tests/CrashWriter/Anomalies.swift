// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostConformance

/// Several processes whose transactions read and append to the same lists: the values that they read must be
/// consistent.
struct Anomalies {
  let kind: StoreKind
  let processes: Int
  let count: Int
  let isChecked: Bool

  /// Runs the processes.
  ///
  /// - Returns: The numbers of committed and aborted transactions.
  func run() throws -> (committed: Int, aborted: Int) {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "roost-list-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appending(path: "lists")
    let start = folder.appending(path: "start")
    let container = try kind.open(kind.describe(url), model: ListWorkload.makeModel())
    let context = container.newBackgroundContext()
    try ListWorkload.prepare(context)
    let children = try (0..<processes).map { worker in
      try Child(
        [
          "append", kind.name, url.path(percentEncoded: false), start.path(percentEncoded: false),
          "\(worker)", "\(count)",
        ] + (isChecked ? ["checked"] : []))
    }
    for child in children { child.waitForLine() }
    try Data().write(to: start)
    let history = try children.flatMap { try Self.transactions(in: $0.lines().dropFirst()) }
    guard history.count == processes * count else {
      throw Inspection.Finding(description: "\(history.count) transactions were told of")
    }
    let check = ListHistoryCheck(history, final: try ListWorkload.lists(context))
    let forbidden = isChecked ? Set(Anomaly.allCases) : Anomaly.alwaysForbidden
    for (anomaly, example) in check.found where forbidden.contains(anomaly) {
      throw Inspection.Finding(description: "\(anomaly.rawValue): \(example)")
    }
    for store in container.persistentStoreCoordinator.persistentStores {
      try container.persistentStoreCoordinator.remove(store)
    }
    try kind.remove(url)
    return (
      history.count { $0.outcome == .committed }, history.count { $0.outcome == .aborted }
    )
  }

  private static func transactions(in lines: some Sequence<String>) throws -> [ListTransaction] {
    try lines.map { try JSONDecoder().decode(ListTransaction.self, from: Data($0.utf8)) }
  }

  /// Runs transactions as soon as all processes are ready, and prints each.
  static func append(
    _ kind: StoreKind, _ url: URL, start: String, _ workload: ListWorkload
  ) throws {
    let container = try kind.open(kind.describe(url), model: ListWorkload.makeModel())
    let context = container.newBackgroundContext()
    Terminal.say("ready")
    while access(start, F_OK) != 0 { usleep(200) }
    try workload.run(context) { transaction in
      Terminal.say(String(decoding: try JSONEncoder().encode(transaction), as: UTF8.self))
    }
  }
}
