// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import Synchronization

// A store that serves two versions while programs of the old one save.
extension EvolutionRun {
  /// How many contexts save.
  private static let savers = 8
  /// How many seconds they save before anything is changed.
  private static let secondsBefore = 2.0

  /// Expands a store beside savers, and brings an equal one to the same version with nobody beside.
  func changeOnline(_ found: inout ComparedResults<EvolutionWork>) throws {
    let stage = try Stage(engine, data)
    try stage.clear()
    try stage.fill()
    try stage.close()
    let old = try PersistentContainer(
      name: "bench", model: BenchVersions.model(after: nil), stores: [engine.storeDescription])
    try old.loadPersistentStores()
    let savers = try OnlineSavers(old, count: Self.savers)
    savers.start()
    Thread.sleep(forTimeInterval: Self.secondsBefore)
    let before = savers.take()
    var description = try engine.storeDescription
    description.evolution = .expand
    let new = try PersistentContainer(
      name: "bench", model: BenchVersions.model(after: .toMany), stores: [description])
    let online = try time { try new.loadPersistentStores() }
    let meanwhile = savers.take()
    try savers.stop()
    try close(new)
    try close(old)
    try description.type.driver.destroy(description)
    let again = try Stage(engine, data)
    try again.clear()
    try again.fill()
    try again.close()
    found.add(online, to: .online)
    found.add(try open(after: .toMany), besides: .online)
    found.add(Spread.quantile(0.99, of: meanwhile.sorted()), to: .onlineSaves)
    found.add(Spread.quantile(0.99, of: before.sorted()), besides: .onlineSaves)
    found.add(meanwhile.max() ?? 0, to: .onlineLongest)
    try description.type.driver.destroy(description)
  }
}

/// Contexts that change a person each, and save, as fast as they can.
private final class OnlineSavers: Sendable {
  private struct State {
    var isStopped = false
    var saves: [Double] = []
    var failure: (any Error)?
  }

  private let container: PersistentContainer
  private let persons: [[ObjectID]]
  private let state = Mutex(State())
  private let group = DispatchGroup()

  init(_ container: PersistentContainer, count: Int) throws {
    self.container = container
    let request = FetchRequest<ObjectID>(entityName: "Person").limit(count * 100)
    let ids = try container.newBackgroundContext().fetch(request)
    // No two change the same.
    persons = (0..<count).map { part in ids.indices.filter { $0 % count == part }.map { ids[$0] } }
  }

  func start() {
    for ids in persons {
      group.enter()
      Thread.detachNewThread { [self] in
        do {
          try save(ids)
        } catch {
          state.withLock { $0.failure = error }
        }
        group.leave()
      }
    }
  }

  private func save(_ ids: [ObjectID]) throws {
    let context = container.newBackgroundContext()
    var number = 0
    while !state.withLock({ $0.isStopped }), !ids.isEmpty {
      number += 1
      let person = try context.existingObject(with: ids[number % ids.count])
      try person.setValue(Double(number), forKey: "score")
      let start = ContinuousClock.now
      try context.save()
      let milliseconds = start.duration(to: .now) / .milliseconds(1)
      state.withLock { $0.saves.append(milliseconds) }
    }
  }

  /// How long the saves have taken since it was asked before.
  func take() -> [Double] {
    state.withLock { state in
      defer { state.saves = [] }
      return state.saves
    }
  }

  func stop() throws {
    state.withLock { $0.isStopped = true }
    group.wait()
    if let failure = state.withLock({ $0.failure }) { throw failure }
  }
}
