// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostSimulation

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
    let kinds = list.split(separator: ",").map { name in
      name == "memory" ? .memory : StoreKind.named(String(name))
    }
    return kinds.count > 1 && !kinds.contains { $0 == nil } ? kinds.compactMap(\.self) : nil
  }

  /// Runs everything.
  ///
  /// - Returns: How many states were opened.
  /// - Throws: A ``Finding`` for the first state that is wrong.
  func run() throws -> Int {
    guard kinds.allSatisfy(\.isFile) else { return try runAgainAndAgain() }
    return try WatchedFolder.with { folder in
      let record = try self.record(in: folder + "/original")
      let count = try StateWalk(record: record, stateCount: stateCount, seed: seed)
        .run(below: folder) { state, acknowledged in
          try inspect(SeveralPlaces(folder: state, server: state), acknowledged)
        }
      return try count + runRecoveries(of: record, below: folder)
    }
  }

  /// Kills the program at moments of a record, and opens what a loss of power during the recovery, or right after it,
  /// would have left: what the killed program had not flushed may be lost even then.
  private func runRecoveries(of record: DiskRecord, below folder: String) throws -> Int {
    var random = SplitMix64(seed: seed &+ 1)
    var disk = SimulatedDisk(record.initial)
    var acknowledged: Int64?
    var count = 0
    let likelihood = Double(stateCount) / Double(max(1, record.operations.count))
    for (index, operation) in record.operations.enumerated() {
      disk.apply(operation)
      if case .mark(let mark) = operation { acknowledged = mark }
      guard Double.random(in: 0..<1, using: &random) < likelihood else { continue }
      let killed = folder + "/killed"
      try FileManager.default.createDirectory(atPath: killed, withIntermediateDirectories: true)
      defer { try? FileManager.default.removeItem(atPath: killed) }
      try disk.writeRemains(.none, to: killed, &random)
      let recovery = try DiskRecord(of: killed) { _ in
        try SeveralJournals(kinds, in: SeveralPlaces(folder: killed, server: killed)).close()
      }
      let walk = StateWalk(
        record: recovery, stateCount: 8, seed: seed &+ UInt64(index), start: disk.copy())
      do {
        count += try walk.run(below: folder + "/again") { state, _ in
          try inspect(SeveralPlaces(folder: state, server: state), acknowledged)
        }
      } catch {
        throw Finding("killed after operation \(index), in the recovery: \(error)")
      }
    }
    return count
  }

  /// With stores that are no files: what a server has at a moment cannot be had afterwards. So everything is done once
  /// for each moment, at which the power fails: then nothing gets to a file or to a server any more.
  private func runAgainAndAgain() throws -> Int {
    var random = SplitMix64(seed: seed)
    let losses = SimulatedDisk.Loss.allCases
    var moments = 0
    for number in 0...stateCount {
      try WatchedFolder.with { folder in
        let server = (folder as NSString).lastPathComponent
        let place = { SeveralPlaces(folder: folder + "/" + $0, server: folder + "/" + server) }
        defer { remove(place("state")) }
        // The first time nothing fails.
        let moment = number == 0 ? 0 : Int.random(in: 1...moments, using: &random)
        let record = try self.record(at: place("original"), failingAfter: moment)
        if number == 0 { moments = Faults.operations }
        Faults.clear()
        guard moment > 0 else { return }
        var disk = SimulatedDisk(record.initial)
        var acknowledged: Int64?
        for operation in record.operations {
          disk.apply(operation)
          if case .mark(let mark) = operation { acknowledged = mark }
        }
        let loss = losses[number % losses.count]
        let state = place("state")
        try FileManager.default.createDirectory(
          atPath: state.folder, withIntermediateDirectories: true)
        try disk.writeRemains(loss, to: state.folder, &random)
        do {
          try inspect(state, acknowledged)
        } catch {
          throw Finding(
            "the power fails after operation \(moment) of \(moments), of what was not flushed \(loss) "
              + "is lost, \(acknowledged.map { "\($0)" } ?? "nothing") was acknowledged: \(error)")
        }
      }
    }
    return stateCount
  }

  /// - Parameter moment: After how many operations the power fails; 0 for never.
  private func record(at places: SeveralPlaces, failingAfter moment: Int) throws -> DiskRecord {
    try FileManager.default.createDirectory(
      atPath: places.folder, withIntermediateDirectories: true)
    return try DiskRecord(of: places.folder) { acknowledge in
      if moment > 0 { Faults.powerOff(after: moment) }
      do {
        try write(to: places, acknowledge)
      } catch  where Faults.isWithoutPower {
        // As everything after that moment.
      }
    }
  }

  private func remove(_ places: SeveralPlaces) {
    Faults.clear()
    for description in places.descriptions(kinds) where description.url?.isFileURL != true {
      try? description.type.driver.destroy(description)
    }
  }

  private func record(in folder: String) throws -> DiskRecord {
    try FileManager.default.createDirectory(atPath: folder, withIntermediateDirectories: true)
    return try DiskRecord(of: folder) { acknowledge in
      try write(to: SeveralPlaces(folder: folder, server: folder), acknowledge)
    }
  }

  private func write(to places: SeveralPlaces, _ acknowledge: (Int64) -> Void) throws {
    var journals = try SeveralJournals(kinds, in: places)
    defer { journals.close() }
    try journals.prepare()
    acknowledge(0)
    if forgetsFlushes { DiskRecord.forgetFlushes() }
    for step in 1...Self.steps {
      try journals.save(step)
      acknowledge(step)
      guard step % 5 == 0 else { continue }
      journals.close()
      journals = try SeveralJournals(kinds, in: places)
    }
  }

  /// Opens a state, compares it with what was acknowledged, and writes once more.
  private func inspect(_ places: SeveralPlaces, _ acknowledged: Int64?) throws {
    let journals = try SeveralJournals(kinds, in: places)
    defer { journals.close() }
    let found = zip(kinds, try journals.numbers()).filter { !$0.0.isLostWithPower }.map(\.1)
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

/// Where several stores are: files and what is in memory in one folder, what is kept by a server under the name of
/// another one.
private struct SeveralPlaces {
  let folder: String
  let server: String

  func descriptions(_ kinds: [StoreKind]) -> [PersistentStoreDescription] {
    kinds.indices.map { index in
      let kind = kinds[index]
      let place = kind.isFile || kind.isLostWithPower ? folder : server
      return kind.description(in: place, "bank\(index)")
    }
  }
}

/// A journal in each of several stores.
private struct SeveralJournals {
  private let container: PersistentContainer

  init(_ kinds: [StoreKind], in places: SeveralPlaces) throws {
    container = try PersistentContainer(
      name: "Journals", model: Bank.sharedModel(), stores: places.descriptions(kinds))
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
