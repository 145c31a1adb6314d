// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost

/// Records what saves to several stores write, and opens what a loss of power would have left of all of them at any
/// moment: none has a save that another one has not (X30).
struct SeveralPowerLoss {
  let kinds: [StoreKind]
  let stateCount: Int
  let seed: UInt64
  /// Whether flushes are left out of the record: stores that lose saves, which must be found out.
  let forgetsFlushes: Bool

  /// How many saves are recorded.
  private static let steps: Int64 = 12

  /// The kinds that a list names, as `sqlite,lmdb`; nil for unknown ones.
  static func kinds(_ list: String) -> [StoreKind]? {
    let kinds = list.split(separator: ",").map { StoreKind.named(String($0)) }
    return kinds.count > 1 && !kinds.contains { $0 == nil } ? kinds.compactMap(\.self) : nil
  }

  /// Runs everything.
  ///
  /// - Returns: How many states were opened.
  /// - Throws: A ``Finding`` for the first state that is wrong.
  func run() throws -> Int {
    try WatchedFolder.with { folder in
      let record = try self.record(in: folder + "/original")
      return try StateWalk(record: record, stateCount: stateCount, seed: seed)
        .run(below: folder) { state, acknowledged in
          try inspect(state, acknowledged)
        }
    }
  }

  private func record(in folder: String) throws -> DiskRecord {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    return try DiskRecord(of: folder) { acknowledge in
      var journals = try SeveralJournals(kinds, in: folder)
      try journals.prepare()
      acknowledge(0)
      if forgetsFlushes { DiskRecord.forgetFlushes() }
      for step in 1...Self.steps {
        try journals.save(step)
        acknowledge(step)
        guard step % 5 == 0 else { continue }
        journals.close()
        journals = try SeveralJournals(kinds, in: folder)
      }
      journals.close()
    }
  }

  /// Opens a state, compares it with what was acknowledged, and writes once more.
  private func inspect(_ folder: String, _ acknowledged: Int64?) throws {
    let journals = try SeveralJournals(kinds, in: folder)
    defer { journals.close() }
    let found = try journals.numbers()
    try Finding.require(Set(found).count == 1, "torn: the stores have \(found)")
    if let acknowledged {
      let last = found.first.flatMap(\.self) ?? -1
      try Finding.require(
        (acknowledged...acknowledged + 1).contains(last),
        "\(acknowledged) was acknowledged, and \(last) is there")
    }
    try journals.requireNothingPrepared()
    try journals.prepare()
    try journals.save(100)
    try Finding.require(try journals.numbers().allSatisfy { $0 == 100 }, "it does not go on")
  }
}

/// A journal in each of several stores.
private struct SeveralJournals {
  private let container: PersistentContainer

  init(_ kinds: [StoreKind], in folder: String) throws {
    container = try PersistentContainer(
      name: "Journals", model: Bank.sharedModel(),
      stores: kinds.indices.map { kinds[$0].description(in: folder, "bank\($0)") })
    try container.loadPersistentStores()
  }

  private var stores: [any PersistentStore] {
    container.persistentStoreCoordinator.persistentStores
  }

  /// Makes the journals that are missing.
  func prepare() throws {
    let context = container.newBackgroundContext()
    let found = try context.fetch(Journal.fetchRequest())
    for index in stores.indices where !found.contains(where: { $0.name == "\(index)" }) {
      let journal = Journal(context: context)
      journal.name = "\(index)"
      try context.assign(journal, to: stores[index])
    }
    try context.save()
  }

  func save(_ number: Int64) throws {
    let context = container.newBackgroundContext()
    for journal in try context.fetch(Journal.fetchRequest()) { journal.last = number }
    try context.save()
  }

  /// What each journal says; nil for one that is missing.
  func numbers() throws -> [Int64?] {
    let journals = try container.newBackgroundContext().fetch(Journal.fetchRequest())
    return stores.indices.map { index in journals.first { $0.name == "\(index)" }?.last }
  }

  func requireNothingPrepared() throws {
    for store in stores {
      let parts = try store.preparation?.pending().count ?? 0
      try Finding.require(parts == 0, "\(parts) parts are left")
    }
  }

  func close() {
    for store in stores { try? container.persistentStoreCoordinator.remove(store) }
  }
}
