// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostSimulation
import RoostStore
import Synchronization

/// Saves over several stores that are written in all of them or in none.
enum AtomicSaveCases {
  static let all: [ConformanceCase] = [
    failures, doubts, derived, metadata, together, acknowledging, readers, outages, watching,
    abandoned, unfinished,
  ].flatMap(\.self)

  /// The names of the records: that of the store that prepares first, that of another preparing store if there are
  /// three, and that of the deciding one.
  private static func names(_ count: Int) -> [String] {
    ["prepares"] + (count > 2 ? ["between"] : []) + ["decides"]
  }

  /// Two or three stores with one record each; every save changes all records.
  struct Pair {
    let stage: ConformanceStage
    let stack: ConformanceStack
    /// The switches of the store that prepares and of the store that decides.
    let prepares: FaultSwitch
    let decides: FaultSwitch
    /// How the two are opened.
    let descriptions: (prepares: PersistentStoreDescription, decides: PersistentStoreDescription)
    /// The names of the records, in the order in which their stores are written.
    let names: [String]

    init(
      _ stage: ConformanceStage, keepsHistory: Bool = false, announces: Bool = false
    ) throws {
      self.stage = stage
      let faults = (0..<stage.storeCount).map { _ in FaultSwitch() }
      let descriptions = try faults.map { faults in
        var store = try stage.makeStore()
        if keepsHistory {
          try store.setOption(.boolean(true), forKey: StoreOption.historyTracking)
        }
        if announces {
          try store.setOption(.boolean(true), forKey: StoreOption.remoteChangeNotification)
        }
        return store.interposed(faults)
      }
      stack = try stage.open(ListWorkload.makeModel(isUnique: true), on: descriptions)
      let order = try SaveOrder(of: stack.coordinator.attachedStores)
      let places = order.preparing + order.joined + [order.deciding]
      let (first, last) = (places[0], order.deciding)
      (prepares, decides) = (faults[first], faults[last])
      self.descriptions = (descriptions[first], descriptions[last])
      names = AtomicSaveCases.names(places.count)
      for (name, place) in zip(names, places) {
        let register = try stack.context.make("Register", ["name": name, "list": "0"])
        try stack.context.assign(register, to: stack.coordinator.persistentStores[place])
      }
      try stack.context.save()
    }

    /// The store that holds one of the two records.
    func store(_ name: String) throws -> any PersistentStore {
      let identity = try stack.context.named("Register", name).objectID.storeIdentity
      return try require(
        stack.coordinator.persistentStores.first { $0.identity.identifier == identity?.identifier },
        "the store that \(name)")
    }

    /// Changes all records.
    func change(_ value: String) throws {
      try AtomicSaveCases.change(names, to: value, in: stack.context)
    }

    /// Expects a value in all stores, through a new context.
    func expect(_ value: String, _ what: String) throws {
      let fresh = stack.makeContext()
      fresh.stalenessInterval = 0
      try expectEqual(
        try names.map { try fresh.named("Register", $0).text("list") }, names.map { _ in value },
        what)
    }

    /// Expects that no store has records of a save.
    func expectNothingLeft(_ what: String) throws {
      for store in stack.coordinator.persistentStores {
        try expectEqual(try store.preparation?.pending().count, 0, "\(what): parts")
      }
      try expectEqual(
        try SavesInDoubt(of: stack.coordinator).list().count, 0, "\(what): saves in doubt")
    }

    /// Reopens both stores, so that the leftovers are reported to the deciding one, and expects no decisions.
    func expectNothingRemembered(_ what: String) throws {
      try stack.reopen()
      // Records in memory disappear with their process at the latest.
      guard stack.coordinator.attachedStores.allSatisfy(\.isDurable) else { return }
      for store in stack.coordinator.persistentStores {
        try expectEqual(try store.preparation?.decisions().count, 0, "\(what): decisions")
      }
    }
  }

  /// Changes the records of a pair.
  static func change(
    _ names: [String], to value: String, in context: ManagedObjectContext
  ) throws {
    for name in names { try context.named("Register", name).set("list", value) }
  }

  static func pair(
    _ name: String, _ title: String, needs: Set<ConformanceFacet> = [], keepsHistory: Bool = false,
    announces: Bool = false, _ body: @escaping @Sendable (Pair) throws -> Void
  ) -> ConformanceCase {
    ConformanceCase(
      .severalStores, "atomic." + name, title, needs: needs.union([.preparation])
    ) { stage in
      try body(try Pair(stage, keepsHistory: keepsHistory, announces: announces))
    }
  }
}

// MARK: - Failures

extension AtomicSaveCases {
  fileprivate static let failures: [ConformanceCase] = [
    pair("written", "a save over two stores is in both, and leaves nothing behind (X3, B169)") {
      pair in
      for round in 1...3 {
        try pair.change("\(round)")
        try pair.stack.context.save()
        try pair.expect("\(round)", "round \(round)")
        try pair.expectNothingLeft("round \(round)")
      }
      guard pair.stage.isReopenable else { return }
      try pair.expectNothingRemembered("closed")
      try pair.expect("3", "opened again")
    },
    pair("failure", "a failure before the decision leaves nothing in any store (X4)") { pair in
      let failures: [(String, PersistenceError.Code, () -> Void)] = [
        ("preparing", FaultSwitch.error.code, { pair.prepares.fail(.prepare) }),
        ("deciding", FaultSwitch.error.code, { pair.decides.fail(.decide) }),
        ("an answer is lost", .persistentStoreSave, { pair.prepares.fail(.answer) }),
        (
          "taking back fails", FaultSwitch.error.code,
          {
            pair.decides.fail(.decide)
            pair.prepares.fail(.finish)
          }
        ),
      ]
      for (number, (what, code, fail)) in failures.enumerated() {
        try pair.change("\(number + 1)")
        fail()
        try expectError(code) { try pair.stack.context.save() }
        try expect(pair.stack.context.hasChanges, "\(what): the changes are pending")
        try pair.expect("\(number)", what)
        try pair.expectNothingLeft(what)
        try pair.stack.context.save()
        try pair.expect("\(number + 1)", "\(what), and saved again")
      }
    },
    pair("lost-answer", "the answer to the decision is lost: the store is asked for it (X5)") {
      pair in
      try pair.change("1")
      pair.decides.fail(.answer)
      try pair.stack.context.save()
      try expect(!pair.stack.context.hasChanges, "the save has succeeded")
      try pair.expect("1", "asked")
      try pair.expectNothingLeft("asked")
      // The decider cannot be queried now: the next access finds the outcome.
      try pair.change("2")
      pair.decides.fail(.answer)
      pair.decides.fail(.decision)
      try expectError(.commitOutcomeUnknown) { try pair.stack.context.save() }
      try pair.expect("2", "asked later")
      try pair.expectNothingLeft("asked later")
      pair.stack.context.reset()
      try pair.change("3")
      try pair.stack.context.save()
      try pair.expect("3", "saved again")
    },
    pair("finishing", "a store that cannot finish at once does before it is read again (X4)") {
      pair in
      try pair.change("1")
      pair.prepares.fail(.finish)
      try pair.stack.context.save()
      try expect(!pair.stack.context.hasChanges, "the save has succeeded")
      try pair.expect("1", "read")
      try pair.change("2")
      pair.prepares.fail(.finish)
      try pair.stack.context.save()
      pair.prepares.fail(.finish)
      let fresh = pair.stack.makeContext()
      fresh.stalenessInterval = 0
      try expectError(.saveInDoubt) { _ = try fresh.all("Register") }
      try pair.expect("2", "read again")
      try pair.expectNothingLeft("read again")
    },
    pair("unique", "a value that is taken in one store leaves the save out of both (X3, B190)") {
      pair in
      let stores = try ["prepares", "decides"].map { ($0, try pair.store($0)) }
      for (name, store) in stores {
        for (other, place) in stores {
          let new = try pair.stack.context.make(
            "Register", ["name": other == name ? name : "new", "list": "9"])
          try pair.stack.context.assign(new, to: place)
        }
        try expectError(.managedObjectConstraintMerge) { try pair.stack.context.save() }
        pair.stack.context.rollback()
        try expectEqual(
          try pair.stack.makeContext().all("Register").count, pair.names.count,
          "taken in \(store.identity)")
        try pair.expectNothingLeft(name)
      }
    },
    pair("fenced", "a save that others have ended is made again under another number (X6)") {
      pair in
      let (one, other) = (try pair.store("prepares"), try pair.store("decides"))
      let answers = Mutex<[Decision]>([])
      pair.decides.interrupt(.decide) {
        guard let part = try? one.preparation?.pending().first,
          let decision = try? other.preparation?.decision(
            on: part.ticket, for: one.identity.identifier, aborting: true)
        else { return }
        answers.withLock { $0.append(decision) }
      }
      try pair.change("1")
      try pair.stack.context.save()
      try expectEqual(answers.withLock { $0 }, [.aborted], "what others were told")
      try pair.expect("1", "saved under another number")
      try pair.expectNothingLeft("saved under another number")
    },
  ]
}
