// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostConformance
import RoostConformanceKit
import Synchronization

/// Contexts of the old version that fetch, save, fire faults and make batch updates while another coordinator or
/// process migrates the store: each request returns correct values or is refused, acknowledged saves are present, and
/// after the migration every request is refused (M34).
struct EvolutionBetween {
  let kind: StoreKind
  let rounds: Int
  let seed: UInt64

  private static let count = 24
  private static let workers = 2

  /// The counts of all rounds.
  struct Report {
    /// Requests that returned the correct values.
    var answered = 0
    /// Requests that were refused during the migration or after it.
    var refused = 0
    /// Rounds in which the migration was refused because others had the store open.
    var busy = 0
  }

  func run() throws -> Report {
    let folder = FileManager.default.temporaryDirectory
      .appending(path: "roost-between-\(UUID().uuidString)")
    try FileManager.default.createDirectory(at: folder, withIntermediateDirectories: true)
    defer { try? FileManager.default.removeItem(at: folder) }
    var report = Report()
    for round in 0..<rounds {
      let url = folder.appending(path: "store-\(round)")
      do {
        try interleave(url, seed &+ UInt64(round), &report)
      } catch {
        throw Inspection.Finding(description: "seed \(seed &+ UInt64(round)): \(error)")
      }
      try kind.remove(url)
    }
    return report
  }

  private func interleave(_ url: URL, _ seed: UInt64, _ report: inout Report) throws {
    let store = VersionedStore(description: try kind.describe(url))
    try store.prepare(Self.count)
    let old = try store.open(.first)
    defer { VersionedStore.close(old) }
    let round = Round(kind: kind, url: url, seed: seed, old: old)
    let threads = Self.workers + 1
    // Explicit threads: a queue would run no more of them at once than there are processors.
    try Threads.run(threads) { thread in
      if thread < Self.workers { try round.work(thread) } else { try round.migrate() }
    }
    let (items, isMigrated) = round.outcome
    if isMigrated {
      try round.expectRefusals(&report)
    } else {
      report.busy += 1
    }
    report.answered += round.answered
    report.refused += round.refused
    VersionedStore.close(old)
    try VersionedStore.require(
      try store.isOfFirstVersion(items) != isMigrated, "the version of the store")
    try store.checkSecondVersion(items)
  }

  /// One store, its readers and writers of the old version, and its migration.
  private final class Round: Sendable {
    private let kind: StoreKind
    private let url: URL
    private let seed: UInt64
    private let old: PersistentContainer
    private let state: Mutex<State>

    private struct State {
      var items = (0..<EvolutionBetween.count).map { VersionedStore.Item($0) }
      var hasBegun = false
      var isMigrated = false
      var answered = 0
      var refused = 0
    }

    init(kind: StoreKind, url: URL, seed: UInt64, old: PersistentContainer) {
      (self.kind, self.url, self.seed, self.old) = (kind, url, seed, old)
      state = Mutex(State())
    }

    var answered: Int { state.withLock(\.answered) }
    var refused: Int { state.withLock(\.refused) }
    var outcome: (items: [VersionedStore.Item], isMigrated: Bool) {
      state.withLock { ($0.items, $0.isMigrated) }
    }

    // MARK: The migration

    /// Migrates the store after a delay: in this process, or in another one if the store can be shared.
    func migrate() throws {
      var random = SplitMix64(seed: seed)
      usleep(UInt32.random(in: 0...20_000, using: &random))
      if kind.isShared, seed.isMultiple(of: 4) {
        state.withLock { $0.hasBegun = true }
        let lines = try Child(["evolve", kind.name, url.path(percentEncoded: false)]).lines()
        try VersionedStore.require(lines == ["begin", "done"], "the process said \(lines)")
      } else {
        let store = VersionedStore(description: try kind.describe(url))
        state.withLock { $0.hasBegun = true }
        do {
          VersionedStore.close(try store.open(.second))
        } catch let error as PersistenceError where error.code == .storeBusy { return }
      }
      state.withLock { $0.isMigrated = true }
    }

    // MARK: Requests of the old version

    private enum Request: CaseIterable {
      case fetch, faults, count, save, batchUpdate, relationship
    }

    /// Makes random requests until one is refused, or all are made. Each worker changes other items.
    func work(_ worker: Int) throws {
      var random = SplitMix64(seed: seed &* 31 &+ UInt64(worker))
      let context = old.newBackgroundContext()
      context.stalenessInterval = 0
      for step in 0..<40 {
        usleep(UInt32.random(in: 0...1_500, using: &random))
        let request = Request.allCases.randomElement(using: &random) ?? .fetch
        let half = EvolutionBetween.count / EvolutionBetween.workers
        let index = Int.random(in: 0..<half, using: &random) * EvolutionBetween.workers + worker
        let wasMigrated = state.withLock(\.isMigrated)
        let isAnswered = try context.performAndWait {
          try answer(request, index, Int64(step + 1_000 * (worker + 1)), context)
        }
        guard isAnswered else {
          try VersionedStore.require(
            state.withLock(\.hasBegun), "\(request) is refused before the migration")
          state.withLock { $0.refused += 1 }
          return
        }
        try VersionedStore.require(!wasMigrated, "\(request) is answered after the migration")
        state.withLock { $0.answered += 1 }
      }
    }

    /// Checks that every kind of request is refused after the migration.
    func expectRefusals(_ report: inout Report) throws {
      for request in Request.allCases {
        let context = old.newBackgroundContext()
        context.stalenessInterval = 0
        let isAnswered = try context.performAndWait { try answer(request, 1, 7, context) }
        try VersionedStore.require(!isAnswered, "\(request) is answered after the migration")
        report.refused += 1
      }
    }

    /// Makes a request.
    ///
    /// - Returns: Whether the request succeeded; false when it was refused because the store has another version.
    private func answer(
      _ request: Request, _ index: Int, _ number: Int64, _ context: ManagedObjectContext
    ) throws -> Bool {
      defer { context.reset() }
      do {
        switch request {
        case .fetch: try read(index, context)
        case .faults: try read(index, context, asFault: true)
        case .count:
          let count = try context.count(for: FetchRequest<ManagedObject>(entityName: "Item"))
          try VersionedStore.require(count == EvolutionBetween.count, "\(count) items are counted")
        case .save:
          let object = try find(index, context)
          try object.setValue(number, forKey: "left")
          try context.save()
          state.withLock { $0.items[index].left = number }
        case .batchUpdate:
          let update = BatchUpdateRequest(entityName: "Item")
          update.predicate = try FetchPredicate("name == %@", VersionedStore.name(index))
          update.propertiesToUpdate = ["right": NSNumber(value: -number)]
          update.resultType = .updatedObjectsCountResultType
          let count = try context.execute(update).count
          try VersionedStore.require(count == 1, "a batch update changed \(count ?? -1) items")
          state.withLock { $0.items[index].right = -number }
        case .relationship:
          let teams = FetchRequest<ManagedObject>(entityName: "Team")
          teams.predicate = try FetchPredicate(
            "name == %@", "t\(index % VersionedStore.teamCount)")
          let members = try context.fetch(teams).first?.value(forKey: "members")
          let found = (members as? Set<ManagedObject>)?.count
          let wanted = EvolutionBetween.count / VersionedStore.teamCount
          try VersionedStore.require(found == wanted, "a team has \(found ?? -1) members")
        }
        return true
      } catch let error as PersistenceError
        where error.code == .persistentStoreIncompatibleVersionHash
      {
        context.rollback()
        return false
      }
    }

    private func find(
      _ index: Int, _ context: ManagedObjectContext, asFault: Bool = false
    ) throws -> ManagedObject {
      let request = FetchRequest<ManagedObject>(entityName: "Item")
      request.predicate = try FetchPredicate("name == %@", VersionedStore.name(index))
      request.returnsObjectsAsFaults = asFault
      request.includesPropertyValues = !asFault
      guard let object = try context.fetch(request).first else {
        throw Inspection.Finding(description: "item \(index) is not found")
      }
      return object
    }

    private func read(
      _ index: Int, _ context: ManagedObjectContext, asFault: Bool = false
    ) throws {
      let wanted = state.withLock { $0.items[index] }
      let object = try find(index, context, asFault: asFault)
      try VersionedStore.compare(object, wanted, index, .first)
    }
  }
}
