// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore
import Synchronization

extension HistoryCases {
  /// The polling interval of cases that must not depend on polling, in seconds.
  private static let never = 100_000.0

  static let hints: [ConformanceCase] = [
    ConformanceCase(
      .history, "hint", "a store says at once that others wrote it (H30, H31, H32, B289)",
      needs: [.secondHandle, .changeMarks, .changeHints]
    ) { stage in
      let mine = try stage.openAnnouncing(model())
      try mine.save("Ada")
      let other = try stage.openSame(mine)
      let changes = RemoteChanges(to: mine.coordinator)
      changes.secondsBetweenLooks = never
      changes.look()
      let listener = MessageCounter(mine.coordinator)
      // A store with notifications from a server gets none until it is registered there.
      try wait("a write is told") {
        try other.context.named("Person", "Ada").set("age", listener.rounds)
        try other.context.save()
        return listener.count > 0
      }
      try expect(changes.hintCounts.hints > 0, "there was a hint")
      try expect(changes.hintCounts.looks > 0, "and a look")
    },
    ConformanceCase(
      .history, "hint-merge", "a context takes over at once what others save (H20, H30)",
      needs: [.history, .secondHandle, .changeMarks, .changeHints]
    ) { stage in
      let mine = try stage.openTracking(model())
      try mine.save("Ada")
      let ada = try mine.context.named("Person", "Ada")
      let other = try stage.openSame(mine)
      mine.context.mergesRemoteChanges = true
      RemoteChanges(to: mine.coordinator).secondsBetweenLooks = never
      var age = 0
      try wait("Ada has another age") {
        age += 1
        try other.context.named("Person", "Ada").set("age", age)
        try other.context.save()
        mine.context.processPendingChanges()
        return try ada.number("age") != nil
      }
      let last = Int64(age)
      try wait("and then the last one") {
        mine.context.processPendingChanges()
        return try ada.number("age") == last
      }
    },
    ConformanceCase(
      .history, "hint-own", "own saves are told once each, hints or not (H30, B289)",
      needs: [.secondHandle, .changeMarks, .changeHints]
    ) { stage in
      let first = try stage.openAnnouncing(model())
      try first.save("Ada")
      first.close()
      // Keys that are reserved are a write, too; here are none.
      let stack = try stage.openSame(first)
      let ada = try stack.context.named("Person", "Ada")
      let listener = MessageCounter(stack.coordinator)
      for age in 1...20 {
        try ada.set("age", age)
        try stack.context.save()
      }
      try wait("all saves are told") { listener.count >= 20 }
      RemoteChanges(to: stack.coordinator).look()
      try ada.set("age", 21)
      try stack.context.save()
      try wait("and the last one") { listener.count >= 21 }
      try expectEqual(listener.count, 21, "the messages")
    },
    ConformanceCase(
      .history, "hint-nothing", "a hint without a write tells nobody of one (H30)",
      needs: [.changeMarks]
    ) { stage in
      let alarms = StoreHintReceivers()
      var store = try stage.makeStore().forwarded { AlarmingStore($0, alarms) }
      try store.setOption(.boolean(true), forKey: StoreOption.remoteChangeNotification)
      let stack = try stage.open(model(), on: [store])
      try expectEqual(alarms.count, 1, "who listens")
      let changes = RemoteChanges(to: stack.coordinator)
      changes.secondsBetweenLooks = never
      let listener = MessageCounter(stack.coordinator)
      for _ in 0..<50 { alarms.send(.beingWritten) }
      try wait("it is looked, and again") { changes.hintCounts.looks > 2 }
      changes.look()
      try expectEqual(listener.count, 0, "the messages")
      stack.close()
      try expectEqual(alarms.count, 0, "who listens after the store was removed")
    },
    ConformanceCase(
      .history, "without-hints", "without hints, writes of others are found by looking (H30, H34)",
      needs: [.secondHandle, .changeMarks]
    ) { stage in
      let plain = try stage.openAnnouncing(model())
      try plain.save("Ada")
      let mine = try stage.openMute(plain)
      let listener = MessageCounter(mine.coordinator)
      RemoteChanges(to: mine.coordinator).secondsBetweenLooks = 0.02
      try plain.context.named("Person", "Ada").set("age", 1)
      try plain.context.save()
      try wait("the write is told") { listener.count > 0 }
      try expectEqual(RemoteChanges(to: mine.coordinator).hintCounts.hints, 0, "the hints")
      try expectEqual(RemoteChanges(to: mine.coordinator).intervals, [0.02], "it stays so")
    },
    ConformanceCase(
      .history, "hint-lost",
      "who is only told misses a write whose hint is lost; a poll does not (H30)",
      needs: [.secondHandle, .changeMarks]
    ) { stage in
      let plain = try stage.openAnnouncing(model())
      try plain.save("Ada")
      let mine = try stage.openMute(plain)
      let changes = RemoteChanges(to: mine.coordinator)
      changes.look()
      let listener = MessageCounter(mine.coordinator)
      let writer = MessageCounter(plain.coordinator)
      try plain.context.named("Person", "Ada").set("age", 1)
      try plain.context.save()
      try wait("the write is announced") { writer.count > 0 }
      // The control: without a poll nobody would ever hear of it.
      try expectEqual(listener.count, 0, "what was told without a poll")
      try expectEqual(changes.hintCounts.hints, 0, "the hints")
      changes.look()
      try wait("the poll finds it") { listener.count > 0 }
      try expectEqual(listener.count, 1, "and once")
    },
    ConformanceCase(
      .history, "hint-pace", "where hints tell of what others write, it is looked less often (H30)",
      needs: [.history, .secondHandle, .changeMarks, .changeHints]
    ) { stage in
      let mine = try stage.openTracking(model())
      try mine.save("Ada")
      let other = try stage.openSame(mine)
      mine.context.mergesRemoteChanges = true
      let changes = RemoteChanges(to: mine.coordinator)
      changes.secondsBetweenLooks = 0.02
      var rounds = 0
      try wait("it is looked a tenth as often") {
        if rounds.isMultiple(of: 200) { try other.save("p\(rounds)") }
        rounds += 1
        return changes.intervals == [0.2]
      }
      try other.save("Zoe")
      let request = FetchRequest<ManagedObject>(entityName: "Person")
      request.predicate = try FetchPredicate("name == 'Zoe'")
      let zoe = try mine.context.live(request)
      try other.context.named("Person", "Zoe").set("age", 7)
      try other.context.save()
      try wait("nothing is missed by it") {
        mine.context.processPendingChanges()
        return try zoe.first?.number("age") == 7
      }
    },
    ConformanceCase(
      .history, "mark-visible", "what a change mark stands for can be read when it is given (H30)",
      needs: [.secondHandle, .changeMarks]
    ) { stage in
      let mine = try stage.open(model())
      try mine.save("Ada")
      let other = try stage.openSame(mine)
      let marks = try require(mine.coordinator.persistentStores[0].changeMarks, "the marks")
      let coordinators = (mine.coordinator, other.coordinator)
      let rounds = 100
      let follower = MarkFollower()
      try Threads.run(2) { number in
        let coordinator = number == 0 ? coordinators.0 : coordinators.1
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        if number == 0 {
          let request = FetchRequest<ManagedObject>(entityName: "Desk")
          while !follower.isOver {
            try follower.look(at: marks) { try context.count(for: request) }
          }
          return
        }
        defer { follower.end() }
        for round in 1...rounds {
          try context.make("Desk", ["name": "desk \(round)"])
          try context.save()
          follower.noteCommit(round)
          try wait("the next look") { follower.looked >= round }
          try expectEqual(follower.found, round, "what was read at the last new mark")
        }
      }
    },
  ]

  /// Waits for something. A machine may be slow: that it never comes is the failure.
  static func wait(_ what: String, _ condition: () throws -> Bool) throws {
    let deadline = Date(timeIntervalSinceNow: 60)
    while try !condition() {
      try expect(Date.now < deadline, "\(what), within a minute")
      Thread.sleep(forTimeInterval: 0.005)
    }
  }
}

/// Counts the messages of a coordinator that stores were written.
final class MessageCounter: @unchecked Sendable {
  // Sendable: the numbers are used under the lock.
  private let lock = NSLock()
  private var messages = 0
  private var asked = 0
  private var token: (any NSObjectProtocol)?

  init(_ coordinator: PersistentStoreCoordinator) {
    token = NotificationCenter.default.addObserver(
      forName: .persistentStoreRemoteChange, object: coordinator, queue: nil
    ) { [weak self] _ in
      guard let self else { return }
      lock.withLock { self.messages += 1 }
    }
  }

  deinit {
    if let token { NotificationCenter.default.removeObserver(token) }
  }

  var count: Int { lock.withLock { messages } }

  /// Another number each time.
  var rounds: Int {
    lock.withLock {
      asked += 1
      return asked
    }
  }
}

extension ConformanceStage {
  /// Opens the stores of a stack once more, without hints; they are polled only on request.
  func openMute(_ stack: ConformanceStack) throws -> ConformanceStack {
    let mute = try open(stack.model, on: stack.stores.map { $0.forwarded { MuteStore($0) } })
    RemoteChanges(to: mute.coordinator).secondsBetweenLooks = 100_000
    return mute
  }
}

/// A store without change hints.
private final class MuteStore: ForwardingStore, @unchecked Sendable {
  // Sendable: it has no state of its own.
  override var changeHints: (any StoreChangeHints)? { nil }
}

/// A store with artificial change hints.
private final class AlarmingStore: ForwardingStore, @unchecked Sendable {
  // Sendable: constant.
  private let alarms: StoreHintReceivers

  init(_ base: any PersistentStore, _ alarms: StoreHintReceivers) {
    self.alarms = alarms
    super.init(base)
  }

  override var changeHints: (any StoreChangeHints)? { alarms }
}

/// Reads a store again only when its change mark has changed.
private final class MarkFollower: Sendable {
  private struct State {
    var isOver = false
    /// The last commit that has ended.
    var commit = 0
    /// The last commit that had ended when the last poll began.
    var looked = 0
    var mark = ""
    var found = 0
  }

  private let state = Mutex(State())

  var isOver: Bool { state.withLock { $0.isOver } }
  var looked: Int { state.withLock { $0.looked } }
  var found: Int { state.withLock { $0.found } }

  func noteCommit(_ number: Int) {
    state.withLock { $0.commit = number }
  }

  func end() {
    state.withLock { $0.isOver = true }
  }

  func look(at marks: any StoreChangeMarks, _ read: () throws -> Int) throws {
    let (commit, known) = state.withLock { ($0.commit, $0.mark) }
    let mark = try marks.changeMark()
    let found = mark == known ? nil : try read()
    state.withLock { state in
      state.looked = commit
      guard let found else { return }
      (state.mark, state.found) = (mark, found)
    }
  }
}
