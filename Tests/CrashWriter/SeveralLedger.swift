// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost

/// Stores of several kinds in one folder, behind one coordinator.
struct SeveralPlaces {
  let kinds: [StoreKind]
  let folder: URL

  /// Parses a list of kinds such as `sqlite,lmdb+history`; nil for unknown kinds, or fewer than two.
  static func kinds(_ list: String) -> [StoreKind]? {
    let kinds = list.split(separator: ",").map { StoreKind.named(String($0)) }
    return kinds.count > 1 && !kinds.contains { $0 == nil } ? kinds.compactMap(\.self) : nil
  }

  /// Returns whether a store persists after the end of the process.
  func isKept(_ index: Int) -> Bool { kinds[index].name != "memory" }

  private func place(_ index: Int) -> URL { folder.appending(path: "ledger-\(index)") }

  /// Opens the stores, in the order of the kinds.
  ///
  /// - Parameters:
  ///   - killing: Whether the process may be killed at the calls of the stores.
  ///   - defect: How the process deliberately saves wrongly.
  ///   - model: The model; that of the ledgers unless given.
  func open(
    killing: Bool, defect: SeveralDefect? = nil, model: ManagedObjectModel? = nil
  ) throws -> PersistentContainer {
    let descriptions = try kinds.indices.map { index in
      let description = try kinds[index].describe(place(index))
      let isJoint = kinds[index].sharesTransactions
      guard killing || !isJoint else { return description }
      return description.forwarded {
        KilledStore($0, isJoint: isJoint, defect: defect)
      }
    }
    let container = try PersistentContainer(
      name: "Ledgers", model: model ?? StoreKind.ledgerModel(), stores: descriptions)
    try container.loadPersistentStores()
    return container
  }

  func waitUntilLeft() throws {
    for index in kinds.indices { try kinds[index].waitUntilLeft(place(index)) }
  }

  func remove() throws {
    for index in kinds.indices { try kinds[index].remove(place(index)) }
    try? FileManager.default.removeItem(at: folder)
  }

  /// Returns a description of what the saves have left in a store, without asking the store.
  func findLeftovers(_ index: Int, _ store: any PersistentStore) throws -> String? {
    try kinds[index].findLeftovers(place(index), store.identity.identifier)
  }

  /// Returns a description of damage to one of the files.
  func findDamage() -> String? {
    kinds.indices.lazy.compactMap { kinds[$0].findDamage(place($0)) }.first
  }
}

/// The data that is saved to several stores at once: a counter in each of them, and a parcel for each number.
struct SeveralLedger {
  let container: PersistentContainer
  let places: SeveralPlaces

  private var stores: [any PersistentStore] {
    container.persistentStoreCoordinator.persistentStores
  }

  /// Inserts the missing counters.
  ///
  /// - Returns: The last number that was saved.
  func prepare() throws -> Int64 {
    let context = container.newBackgroundContext()
    let found = try context.fetch(Counter.fetchRequest())
    let last = found.map(\.last).max() ?? 0
    for index in stores.indices where !found.contains(where: { $0.name == "\(index)" }) {
      let counter = Counter(context: context)
      (counter.name, counter.last) = ("\(index)", last)
      try context.assign(counter, to: stores[index])
    }
    try context.save()
    return last
  }

  /// Saves a number to all stores.
  func save(_ number: Int64) throws {
    let context = container.newBackgroundContext()
    for counter in try context.fetch(Counter.fetchRequest()) { counter.last = number }
    for index in stores.indices {
      let parcel = Parcel(context: context)
      parcel.number = number * 100 + Int64(index)
      try context.assign(parcel, to: stores[index])
    }
    try context.save()
  }

  /// Compares the stores with each other and with what was acknowledged.
  ///
  /// - Parameter acknowledged: The last number that the writer acknowledged; nil for none.
  /// - Returns: The last number in the stores.
  func check(acknowledged: Int64?) throws -> Int64 {
    let context = container.newBackgroundContext()
    let kept = stores.indices.filter(places.isKept)
    let counters = try context.fetch(Counter.fetchRequest())
    var found: [Int64?] = []
    for index in kept { found.append(counters.first { $0.name == "\(index)" }?.last) }
    guard Set(found).count == 1 else {
      throw Inspection.Finding(description: "torn: the stores have \(found)")
    }
    let last = (found.first ?? nil) ?? 0
    if let acknowledged, last != acknowledged, last != acknowledged + 1 {
      throw Inspection.Finding(
        description: "\(acknowledged) was acknowledged, and \(last) is the last save that is there")
    }
    let numbers = Set(
      try context.fetch(Parcel.fetchRequest()).map(\.number).filter { kept.contains(Int($0 % 100)) }
    )
    let expected = kept.flatMap { index in (0...last).dropFirst().map { $0 * 100 + Int64(index) } }
    guard numbers == Set(expected) else {
      throw Inspection.Finding(
        description: "torn: of the parcels to \(last) there are \(numbers.sorted())")
    }
    if let history = try lostTransactions(to: last, kept) {
      throw Inspection.Finding(description: history)
    }
    return last
  }

  /// Returns a description of an inconsistency of the histories: each store with a history must have exactly one
  /// transaction per save, and the transactions of one save share its number.
  private func lostTransactions(to last: Int64, _ kept: [Int]) throws -> String? {
    let histories = try kept.compactMap { index in
      try stores[index].history?.transactions(after: nil, limit: nil).compactMap(\.content.saveID)
    }
    for saves in histories where Set(saves).count != saves.count {
      return "a save has two transactions in one history"
    }
    guard histories.count == stores.count else { return nil }
    return Set(histories.map(Set.init)).count == 1 ? nil : "the histories name other saves"
  }

  /// Checks that no store has prepared parts or decisions left.
  func requireNothingLeft(_ when: String) throws {
    for (index, store) in stores.enumerated() {
      let parts = try store.preparation?.pending().count ?? 0
      let decisions = try store.preparation?.decisions().count ?? 0
      guard parts == 0, decisions == 0 else {
        throw Inspection.Finding(
          description:
            "\(when), \(places.kinds[index].name) keeps \(parts) parts and \(decisions) decisions")
      }
      if let left = try places.findLeftovers(index, store) {
        throw Inspection.Finding(
          description: "\(when), \(places.kinds[index].name) itself has \(left)")
      }
    }
  }

  func close() throws {
    for store in stores { try container.persistentStoreCoordinator.remove(store) }
  }
}
