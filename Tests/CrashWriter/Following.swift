// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostConformance
import Synchronization

/// Processes that save to one store, and are killed and restarted at times, while this process follows the store by
/// its history and by live results. No change may be missed or reported twice (H8, L2, A4).
struct Following {
  let kind: StoreKind
  let processes: Int
  let seconds: Double
  let seed: UInt64
  /// Whether the follower skips a transaction at times: a deliberate defect, which the check must detect.
  let isForgetful: Bool

  /// The counts of a run.
  struct Report {
    var transactions = 0
    var kills = 0
    var snapshots = 0
    /// The delay between a transaction's timestamp and its arrival in milliseconds: the median and the maximum.
    var median = 0.0
    var longest = 0.0
  }

  /// The state that is derived from the history while it is read.
  private struct Followed: Sendable {
    var records: Set<ObjectID> = []
    /// The number of transactions of each author.
    var counts: [String: Int64] = [:]
    var numbers: Set<Int64> = []
    var delays: [Double] = []
    var problem: String?
  }

  /// The latest snapshot of the live results.
  private struct Shown: Sendable {
    var records: [ObjectID] = []
    var count = 0
    var problem: String?
  }

  private struct Process {
    let process: Foundation.Process
    let output: URL

    /// Whether it runs and has not acknowledged a save yet.
    var isSilent: Bool {
      process.isRunning && (try? Data(contentsOf: output))?.isEmpty ?? true
    }
  }

  func run() throws -> Report {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "roost-follow-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appending(path: "followed")
    let container = try kind.open(at: url)
    defer { try? kind.remove(url) }
    let coordinator = container.persistentStoreCoordinator
    defer { for store in coordinator.persistentStores { try? coordinator.remove(store) } }
    let followed = Shared(Followed())
    let shown = Shared(Shown())
    let tasks = [
      Task { await follow(coordinator, followed) }, Task { await show(container, shown) },
    ]
    var report = Report()
    let acknowledged = try kill(url, folder, &report) { followed.withLock { $0.numbers.count } }
    try compare(container, acknowledged, followed, shown)
    for task in tasks { task.cancel() }
    let delays = followed.withLock { $0.delays.sorted() }
    report.transactions = delays.count
    report.snapshots = shown.withLock { $0.count }
    report.median = delays.isEmpty ? 0 : delays[delays.count / 2]
    report.longest = delays.last ?? 0
    return report
  }

  // MARK: - Following

  private func follow(
    _ coordinator: PersistentStoreCoordinator, _ followed: Shared<Followed>
  ) async {
    do {
      for try await transaction in coordinator.history(after: nil) {
        let delay = -transaction.timestamp.timeIntervalSinceNow * 1_000
        followed.withLock { followed in
          guard !isForgetful || transaction.transactionNumber % 10 != 0 else { return }
          if !followed.numbers.insert(transaction.transactionNumber).inserted {
            followed.problem = "transaction \(transaction.transactionNumber) came twice"
          }
          followed.counts[transaction.author ?? "", default: 0] += 1
          followed.delays.append(delay)
          for change in transaction.changes ?? []
          where change.changedObjectID.entity.name == "Parcel" {
            switch change.changeType {
            case .insert: followed.records.insert(change.changedObjectID)
            case .delete: followed.records.remove(change.changedObjectID)
            case .update: break
            }
          }
        }
      }
    } catch {
      followed.withLock { $0.problem = "\(error)" }
    }
  }

  private func show(_ container: PersistentContainer, _ shown: Shared<Shown>) async {
    do {
      for try await snapshot in container.liveIDs(Parcel.where { $0.number > 0 }) {
        shown.withLock { shown in
          shown.records = snapshot.ids
          shown.count += 1
        }
      }
    } catch {
      shown.withLock { $0.problem = "\(error)" }
    }
  }

  // MARK: - Writing

  /// The number of transactions without which nothing is examined: of every ten, a forgetful follower skips one.
  private static let fewestTransactions = 20

  /// Runs writer processes, and kills one of them every second.
  ///
  /// - Parameter transactions: Returns the number of transactions that have arrived.
  /// - Returns: The last acknowledged save of each process.
  private func kill(
    _ url: URL, _ folder: URL, _ report: inout Report, transactions: () -> Int
  ) throws -> [Int64] {
    var random = SplitMix64(seed: seed)
    var acknowledged = [Int64](repeating: 0, count: processes)
    var running = try (0..<processes).map { try start($0, url, folder, 0) }
    func end(_ number: Int) throws {
      Foundation.kill(running[number].process.processIdentifier, SIGKILL)
      running[number].process.waitUntilExit()
      let text = try String(decoding: Data(contentsOf: running[number].output), as: UTF8.self)
      let last = text.split(separator: "\n", omittingEmptySubsequences: false).dropLast().last
      acknowledged[number] = max(acknowledged[number], last.flatMap { Int64($0) } ?? 0)
    }
    let clock = ContinuousClock()
    let stop = clock.now + .seconds(seconds)
    // A busy machine may need longer until there is anything to miss.
    let limit = stop + .seconds(120)
    while clock.now < stop || (transactions() < Self.fewestTransactions && clock.now < limit) {
      usleep(UInt32(min(1_000_000, seconds * 150_000)))
      let victim = Int.random(in: 0..<processes, using: &random)
      // Every fourth one is also killed before it has saved anything.
      if Int.random(in: 0..<4, using: &random) > 0 {
        while running[victim].isSilent, clock.now < limit { usleep(10_000) }
      }
      try end(victim)
      report.kills += 1
      running[victim] = try start(victim, url, folder, report.kills)
    }
    for number in running.indices { try end(number) }
    return acknowledged
  }

  private func start(_ number: Int, _ url: URL, _ folder: URL, _ round: Int) throws -> Process {
    let output = folder.appending(path: "words-\(number)-\(round)")
    _ = FileManager.default.createFile(atPath: output.path, contents: nil)
    let process = Foundation.Process()
    process.executableURL = URL(filePath: "/proc/self/exe").resolvingSymlinksInPath()
    #if !os(Linux)
    process.executableURL = URL(filePath: CommandLine.arguments[0])
    #endif
    process.arguments = ["followed", kind.name, url.path(percentEncoded: false), "\(number)"]
    process.standardOutput = try FileHandle(forWritingTo: output)
    process.standardInput = FileHandle.nullDevice
    try process.run()
    return Process(process: process, output: output)
  }

  /// Saves parcel after parcel until the process is killed, and keeps only the latest ones. It begins after the last
  /// parcel in the store.
  static func write(_ kind: StoreKind, _ url: URL, number: Int) throws {
    let context = try kind.open(at: url).newBackgroundContext()
    let name = "writer-\(number)"
    context.transactionAuthor = name
    let counter = try context.findOrCreate(Counter.self, \.name, name)
    let base = Int64(number + 1) * 1_000_000
    while true {
      counter.last += 1
      let parcel = Parcel(context: context)
      parcel.number = base + counter.last
      let outdated = base + counter.last - 5
      for old in try context.fetch(Parcel.where { $0.number <= outdated && $0.number > base }) {
        context.delete(old)
      }
      try context.save()
      Terminal.say("\(counter.last)")
    }
  }

  // MARK: - Comparing

  /// Waits until all stored changes have been reported, and compares them.
  private func compare(
    _ container: PersistentContainer, _ acknowledged: [Int64],
    _ followed: Shared<Followed>, _ shown: Shared<Shown>
  ) throws {
    let deadline = ContinuousClock.now + .seconds(20)
    while true {
      let problem = try difference(container, acknowledged, followed, shown)
      guard let problem else { return }
      guard ContinuousClock.now < deadline else { throw Inspection.Finding(description: problem) }
      usleep(50_000)
    }
  }

  private func difference(
    _ container: PersistentContainer, _ acknowledged: [Int64],
    _ followed: Shared<Followed>, _ shown: Shared<Shown>
  ) throws -> String? {
    let context = container.newBackgroundContext()
    let there = try context.fetch(Parcel.where { $0.number > 0 }).map(\.objectID)
    let counters = try context.fetch(Counter.fetchRequest())
    let history = followed.withLock { $0 }
    let live = shown.withLock { $0 }
    if let problem = history.problem ?? live.problem { return problem }
    for (number, last) in acknowledged.enumerated() {
      let stored = counters.first { $0.name == "writer-\(number)" }?.last ?? 0
      guard stored >= last else {
        return "writer \(number) was told of save \(last), and \(stored) is there"
      }
      let count = history.counts["writer-\(number)"] ?? 0
      guard count == stored else {
        return "writer \(number) has saved \(stored) times, and \(count) transactions came"
      }
    }
    guard history.records == Set(there) else {
      return "the history leads to \(history.records.count) parcels, and \(there.count) are there"
    }
    guard Set(live.records) == Set(there), live.records.count == there.count else {
      return "live results show \(live.records.count) parcels after \(live.count) snapshots, and "
        + "\(there.count) are there"
    }
    return nil
  }
}

/// A value that tasks and threads share.
private final class Shared<Value: Sendable>: Sendable {
  private let value: Mutex<Value>

  init(_ value: Value) {
    self.value = Mutex(value)
  }

  func withLock<Result: Sendable>(_ body: (inout sending Value) -> sending Result) -> Result {
    value.withLock(body)
  }
}
