// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import Synchronization

/// Brings a store of very many records to another version: a process that is killed in the middle, one that is
/// cancelled, and one that comes to the end. Looks at what each leaves, at the memory that the last one takes, at what
/// it reports, and at how soon the second one ends (M23, M25, M50, M51).
struct EvolutionLarge {
  let kind: StoreKind
  let count: Int
  /// Where the store is made.
  let folder: URL

  private static let chunk = 10_000
  /// How far a migration is when it is killed or cancelled, and when it is cancelled late.
  private static let middle = 0.4
  private static let late = 0.75
  /// The longest that a migration may go on after it was cancelled, in milliseconds, and the most memory that it may
  /// take in kilobytes.
  private static let cancelLimit = 500
  private static let memoryLimit = 128 * 1024

  /// How long after a report it is cancelled late, in seconds: so that most often a statement runs. A small store is
  /// done by then.
  private static let delay = 0.07
  private static let leastDelayed = 500_000

  /// When one is cancelled that has just begun, in seconds.
  private static let early = 0.01

  /// How a process ends its migration.
  enum Mode: String {
    case killed, cancelled, late, early, whole
  }

  func run() throws -> String {
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    let url = folder.appending(path: "large")
    try fill(url)
    var lines: [String] = []
    let modes: [Mode] =
      count < Self.leastDelayed
      ? [.killed, .cancelled, .early, .whole] : [.killed, .cancelled, .late, .early, .whole]
    for mode in modes {
      let child = try Child([
        "evolve-one", kind.name, url.path(percentEncoded: false), mode.rawValue,
      ])
      if mode == .killed {
        child.waitForLine()
        _ = child.kill()
        try kind.waitUntilLeft(url)
        try check(url, .first)
        continue
      }
      child.waitForLine()
      let said = child.lines()
      try VersionedStore.require(
        said.count == 1 && said[0].hasPrefix("done"), "the \(mode) process said \(said)")
      lines.append(String(said[0].dropFirst("done ".count)))
      try kind.waitUntilLeft(url)
      try check(url, mode == .whole ? .second : .first)
    }
    if let damage = kind.findDamage(url) {
      throw Inspection.Finding(description: "the file is damaged: \(damage)")
    }
    return lines.joined(separator: "; ")
  }

  private func store(_ url: URL) throws -> VersionedStore {
    var description = try kind.describe(url)
    // A copy would be another file of the size.
    description.evolution.backup = .never
    return VersionedStore(description: description)
  }

  private func fill(_ url: URL) throws {
    let container = try store(url).open(.first)
    defer { VersionedStore.close(container) }
    for start in stride(from: 0, to: count, by: Self.chunk) {
      let context = container.newBackgroundContext()
      try context.performAndWait {
        let teams = try VersionedStore.teams(context)
        for index in start..<min(start + Self.chunk, count) {
          try VersionedStore.insertItem(index, teams, context)
        }
        try context.save()
        context.reset()
      }
    }
  }

  /// Expects the store to be of a version, with all records, and looks at some of them.
  private func check(_ url: URL, _ version: VersionedStore.Version) throws {
    var description = try kind.describe(url)
    description.evolution = .refuse
    let container = try VersionedStore(description: description).open(version)
    defer { VersionedStore.close(container) }
    let context = container.newBackgroundContext()
    try context.performAndWait {
      let all = FetchRequest<ManagedObject>(entityName: "Item")
      let found = try context.count(for: all)
      try VersionedStore.require(found == count, "\(found) items instead of \(count)")
      let last = FetchRequest<ManagedObject>(entityName: "Item")
      last.fetchLimit = 500
      last.sortDescriptors = [SortOrdering("left", ascending: version == .second)]
      for object in try context.fetch(last) {
        let name = try object.value(forKey: "name") as? String ?? ""
        let index = Int(name.dropFirst()) ?? -1
        try VersionedStore.compare(object, VersionedStore.Item(index), index, version)
      }
      context.reset()
    }
  }

  // MARK: - A process that migrates

  /// Watches a migration, and cancels it or waits to be killed.
  private final class Watch: Sendable {
    struct Seen {
      var last = 0.0
      var reports = 0
      var fell = false
      var hasReached = false
      /// The step of the last report before the migration is cancelled.
      var step = ""
      var cancelled: ContinuousClock.Instant?
    }

    private let mode: Mode
    private let progress: Progress
    private let state = Mutex(Seen())

    init(_ mode: Mode, _ progress: Progress) {
      (self.mode, self.progress) = (mode, progress)
    }

    var seen: Seen { state.withLock { $0 } }

    func receive(_ report: MigrationProgress) {
      let fraction = progress.fractionCompleted
      let point = mode == .late ? EvolutionLarge.late : EvolutionLarge.middle
      let isThere = state.withLock { seen in
        seen.reports += 1
        if fraction < seen.last { seen.fell = true }
        seen.last = fraction
        if seen.cancelled == nil { seen.step = report.title }
        guard fraction >= point, !seen.hasReached else { return false }
        seen.hasReached = true
        return true
      }
      guard isThere else { return }
      switch mode {
      case .killed:
        Terminal.say("middle")
        // Nothing more is done before the kill.
        Thread.sleep(forTimeInterval: 600)
      case .cancelled: cancel()
      case .late: cancel(after: EvolutionLarge.delay)
      case .early, .whole: break
      }
    }

    private func cancel() {
      state.withLock { $0.cancelled = .now }
      progress.cancel()
    }

    func cancel(after seconds: Double) {
      Thread.detachNewThread { [self] in
        Thread.sleep(forTimeInterval: seconds)
        cancel()
      }
    }
  }

  /// Opens a store with the second version.
  static func evolve(_ kind: StoreKind, _ url: URL, _ mode: Mode) throws {
    var description = try kind.describe(url)
    description.evolution.backup = .never
    let before = Terminal.peakKilobytes
    let container = try PersistentContainer(
      name: "Versions", model: VersionedStore.model(.second), stores: [description])
    let progress = container.migrationProgress
    let watch = Watch(mode, progress)
    container.migrations { watch.receive($0) }
    // While it is still planned.
    if mode == .early { watch.cancel(after: early) }
    let start = ContinuousClock.now
    do {
      try container.loadPersistentStores()
      let time = start.duration(to: .now)
      let (seen, last) = (watch.seen, progress.fractionCompleted)
      let memory = Terminal.peakKilobytes - before
      guard mode == .whole, !seen.fell, last == 1, memory < memoryLimit else {
        return Terminal.say(
          "failed \(mode): \(seen.reports) reports, \(last), \(seen.fell), \(memory) KB")
      }
      Terminal.say("done \(time), \(seen.reports) reports up to \(last), \(memory) KB more memory")
      VersionedStore.close(container)
    } catch let error as PersistenceError where error.code == .migrationCancelled {
      let seen = watch.seen
      let passed = seen.cancelled?.duration(to: .now) ?? .seconds(-1)
      let milliseconds = Int(passed / .milliseconds(1))
      let isWanted = mode != .killed && mode != .whole
      guard isWanted, (0...cancelLimit).contains(milliseconds) else {
        return Terminal.say("failed: ended after \(milliseconds) ms in “\(seen.step)”")
      }
      Terminal.say("done cancelled within \(milliseconds) ms in “\(seen.step)”")
    } catch {
      Terminal.say("failed \(error)".replacing("\n", with: " "))
    }
  }
}
