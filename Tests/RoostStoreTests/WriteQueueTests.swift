// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Synchronization
import TestWaiting
import Testing

/// Tests of the queue of writers: waiting writes are written as a group, in the order of arrival.
@Suite struct WriteQueueTests {
  /// An engine that only records the members of each group.
  private final class Writing: Sendable {
    let queue = WriteQueue<Int>()
    let groups = Mutex<[[Int]]>([])
    /// The member of a group that fails.
    let failing: Int?

    init(failing: Int? = nil) {
      self.failing = failing
    }

    /// Queues a write as an engine does.
    ///
    /// - Parameter whileLeading: A body that runs while the caller holds the engine's lock.
    func write(_ number: Int, whileLeading: () throws -> Void = {}) throws {
      let deadline = Deadline(after: 60)
      if !queue.beginLeading() {
        guard try queue.wait(number, until: deadline) else { return }
      }
      try whileLeading()
      let others = queue.takeWaiting()
      groups.withLock { $0.append([number] + others.compactMap(\.work)) }
      for waiter in others {
        let fails = waiter.work == failing
        waiter.finish(fails ? .failure(PersistenceError(.storeFull, "Full.")) : .success(()))
      }
      queue.end()
      if number == failing { throw PersistenceError(.storeFull, "Full.") }
    }
  }

  /// Queues writers one after the other while another one leads.
  private func standInLine(
    _ numbers: Range<Int>, _ writing: Writing, _ group: DispatchGroup,
    _ ended: @escaping @Sendable (Int, Bool) -> Void = { _, _ in }
  ) throws {
    for number in numbers {
      let count = writing.queue.waitingCount
      group.enter()
      Thread.detachNewThread {
        do {
          try writing.write(number)
          ended(number, true)
        } catch {
          ended(number, false)
        }
        group.leave()
      }
      try waitUntil(writing.queue.waitingCount > count)
    }
  }

  @Test("those who wait are written in one group, in the order in which they came (F15)")
  func oneGroup() throws {
    let writing = Writing()
    let group = DispatchGroup()
    try writing.write(0) { try standInLine(1..<8, writing, group) }
    group.wait()
    #expect(writing.groups.withLock { $0 } == [Array(0..<8)])
    #expect(!writing.queue.isBusy && writing.queue.waitingCount == 0)
  }

  @Test("who comes after a group was gathered is in the next one, before all who come later (F15)")
  func nextGroup() throws {
    let writing = Writing()
    let group = DispatchGroup()
    #expect(writing.queue.beginLeading())
    try standInLine(1..<4, writing, group)
    #expect(writing.queue.takeWaiting().compactMap(\.work) == [1, 2, 3])
    // These writers have missed the group; the next leader takes all of them.
    try standInLine(4..<7, writing, group)
    writing.queue.end()
    try waitUntil(writing.groups.withLock { !$0.isEmpty })
    #expect(writing.groups.withLock { $0 } == [[4, 5, 6]])
  }

  @Test("of many that come again and again each is written once, and its own in their order (F15)")
  func many() {
    let writing = Writing()
    let group = DispatchGroup()
    for worker in 0..<8 {
      group.enter()
      Thread.detachNewThread {
        for round in 0..<100 {
          // The engine's lock takes some time, so that other writers arrive.
          try? writing.write(worker * 1_000 + round) { sched_yield() }
        }
        group.leave()
      }
    }
    group.wait()
    let written = writing.groups.withLock { $0.flatMap { $0 } }
    #expect(written.count == 800 && Set(written).count == 800)
    for worker in 0..<8 {
      let own = written.filter { $0 / 1_000 == worker }
      #expect(own == own.sorted())
    }
    #expect(!writing.queue.isBusy && writing.queue.waitingCount == 0)
  }

  @Test("one member that fails is told so, and the others are not (F15)")
  func ownFailure() throws {
    let writing = Writing(failing: 3)
    let group = DispatchGroup()
    let ends = Mutex<[Int: Bool]>([:])
    try writing.write(0) {
      try standInLine(1..<6, writing, group) { number, isWritten in
        ends.withLock { $0[number] = isWritten }
      }
    }
    group.wait()
    #expect(ends.withLock { $0 } == [1: true, 2: true, 3: false, 4: true, 5: true])
  }

  @Test(
    "when the engine's lock cannot be had, whose time is over fails, and the next one leads (F15)")
  func lateWriters() throws {
    let queue = WriteQueue<Int>()
    let group = DispatchGroup()
    let ends = Mutex<[Int: Result<Bool, any Error>]>([:])
    #expect(queue.beginLeading())
    for (number, seconds) in [(1, 0.0), (2, 600.0)] {
      group.enter()
      Thread.detachNewThread {
        let end = Result { try queue.wait(number, until: Deadline(after: seconds)) }
        ends.withLock { $0[number] = end }
        group.leave()
      }
      try waitUntil(queue.waitingCount == number)
    }
    queue.end(after: PersistenceError(.storeBusy, "The lock is taken."))
    group.wait()
    #expect(throws: PersistenceError(.storeBusy, "")) { try ends.withLock { $0 }[1]?.get() }
    // The second one was not written by a leader: it leads, and writes itself.
    #expect(try ends.withLock { $0 }[2]?.get() == true)
    #expect(queue.isBusy && queue.waitingCount == 0)
    queue.end()
    #expect(!queue.isBusy)
  }
}
