// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostSimulation

/// The anomalies of transactions under the error policy: scripts of two contexts, step by step. A saved context is a
/// transaction, from its first read of a record to its save.
enum AnomalyCases {
  static let all: [ConformanceCase] =
    scripts.map { script in
      ConformanceCase(.conflicts, script.name, "contexts: \(script.title)") { stage in
        let stack = try stage.open(ListWorkload.makeModel())
        try ListWorkload.prepare(stack.context)
        try script.body(Player(stack.makeContext()), Player(stack.makeContext()))
      }
    }
    + scripts.map { script in
      ConformanceCase(
        .conflicts, "\(script.name)-coordinators", "coordinators: \(script.title)",
        needs: [.secondHandle]
      ) { stage in
        let stack = try stage.open(ListWorkload.makeModel())
        try ListWorkload.prepare(stack.context)
        let other = try stage.open(stack.model, on: stack.stores)
        try script.body(Player(stack.makeContext()), Player(other.makeContext()))
      }
    } + AnomalyCases.threads

  /// A participant of a script: a context that does not use cached rows.
  private struct Player {
    let context: ManagedObjectContext

    init(_ context: ManagedObjectContext) {
      self.context = context
      context.stalenessInterval = 0
    }

    func register(_ key: Int) throws -> ManagedObject {
      try context.named("Register", "\(key)")
    }

    func see(_ key: Int) throws -> [Int] {
      try ListWorkload.values(of: register(key))
    }

    func append(_ value: Int, to key: Int) throws {
      try ListWorkload.append(value, to: register(key))
    }

    /// Begins a new transaction: from now on it reads the current state.
    func begin() {
      context.reset()
    }

    func save() throws {
      try context.save()
    }

    func isRefused() throws {
      try expectError(.managedObjectMerge, "the save") { try context.save() }
      context.rollback()
    }
  }

  private struct Script: Sendable {
    let name: String
    let title: String
    let body: @Sendable (Player, Player) throws -> Void
  }

  private static let scripts: [Script] = writes + reads + skews

  private static let writes = [
    Script(
      name: "dirty-write",
      title: "of two that write the same records one writes all (G0; B169, B176)"
    ) { one, two in
      for (player, value) in [(one, 1), (two, 2)] {
        for key in 0..<2 { try player.append(value, to: key) }
      }
      try two.save()
      try one.isRefused()
      one.begin()
      try expectEqual([try one.see(0), try one.see(1)], [[2], [2]], "the lists")
    },
    Script(
      name: "lost-update", title: "an update is never lost, and can be made again (P4; B175, B176)"
    ) { one, two in
      try one.append(1, to: 0)
      try two.append(2, to: 0)
      try one.save()
      try two.isRefused()
      two.begin()
      try two.append(2, to: 0)
      try two.save()
      one.begin()
      try expectEqual(try one.see(0), [1, 2], "the list")
    },
    Script(
      name: "lost-update-overwrite",
      title: "the policy that overwrites loses an update, as its name says (P4; B181)"
    ) { one, two in
      try one.append(1, to: 0)
      try two.append(2, to: 0)
      try one.save()
      two.context.mergePolicy = .overwrite
      try two.save()
      one.begin()
      try expectEqual(try one.see(0), [2], "the list")
      let history = [
        ListTransaction(reads: [.init(0, [])], appends: [.init(0, 1)]),
        ListTransaction(reads: [.init(0, [])], appends: [.init(0, 2)]),
      ]
      let check = ListHistoryCheck(history, final: [0: try one.see(0)])
      try expect(check.found[.lostUpdate] != nil, "the check notices it")
    },
  ]

  private static let reads = [
    Script(
      name: "aborted-read", title: "nobody sees what is not saved (G1a; B169, B178)"
    ) { one, two in
      for key in 0..<2 { try one.append(1, to: key) }
      one.context.processPendingChanges()
      try expectEqual(try two.see(0), [], "what is pending elsewhere")
      try two.append(2, to: 1)
      try two.save()
      try one.isRefused()
      two.begin()
      try expectEqual([try two.see(0), try two.see(1)], [[], [2]], "the lists")
    },
    Script(
      name: "intermediate-read",
      title: "nobody sees a value that is replaced before the save (G1b; B169)"
    ) { one, two in
      try one.append(1, to: 0)
      try expectEqual(try two.see(0), [], "the list before")
      try one.append(2, to: 0)
      try one.save()
      two.begin()
      try expectEqual(try two.see(0), [1, 2], "the list afterwards")
    },
    Script(
      name: "circular-flow", title: "two never see each other's changes (G1c; B169, B176)"
    ) { one, two in
      try one.append(1, to: 0)
      try two.append(2, to: 1)
      try expectEqual(try one.see(1), [], "what the second has changed")
      try expectEqual(try two.see(0), [], "what the first has changed")
      try one.save()
      try two.save()
      one.begin()
      try expectEqual([try one.see(0), try one.see(1)], [[1], [2]], "the lists")
    },
  ]

  private static let skews = [
    Script(
      name: "read-skew",
      title: "what was read and checked was not changed before the save (G-single; B174)"
    ) { one, two in
      one.context.detectConflicts(for: try one.register(0))
      for key in 0..<2 { try two.append(2, to: key) }
      try two.save()
      try expectEqual(try one.see(1), [2], "what is read later is newer")
      try one.append(1, to: 2)
      try one.isRefused()
      one.begin()
      try expectEqual(try one.see(2), [], "the list that is not written")
    },
    Script(
      name: "write-skew", title: "two that check what they read do not both save (G2-item; B174)"
    ) { one, two in
      for player in [one, two] {
        for key in 0..<2 { player.context.detectConflicts(for: try player.register(key)) }
      }
      try one.append(1, to: 0)
      try two.append(2, to: 1)
      try one.save()
      try two.isRefused()
      two.begin()
      try expectEqual([try two.see(0), try two.see(1)], [[1], []], "the lists")
    },
    Script(
      name: "write-skew-unchecked",
      title: "what is only read and not checked conflicts with nothing (B176)"
    ) { one, two in
      for player in [one, two] {
        for key in 0..<2 { _ = try player.see(key) }
      }
      try one.append(1, to: 0)
      try two.append(2, to: 1)
      try one.save()
      try two.save()
      one.begin()
      try expectEqual([try one.see(0), try one.see(1)], [[1], [2]], "the lists")
    },
  ]
}
