// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Roost
import Synchronization
import TestWaiting
import Testing

/// A flag that is set once and read by other threads.
private final class Flag: Sendable {
  private let state = Atomic<Bool>(false)

  var isSet: Bool { state.load(ordering: .acquiring) }

  func set() { state.store(true, ordering: .releasing) }
}

/// A task that another task starts.
private final class StartedTask: Sendable {
  private let task = Mutex<Task<Int, any Error>?>(nil)

  var value: Task<Int, any Error>? { task.withLock { $0 } }

  func set(_ task: Task<Int, any Error>) { self.task.withLock { $0 = task } }
}

@Suite("Tasks that are cancelled") struct CancellationTests {
  /// Keeps a context's queue busy until it is released.
  private func block(_ context: ManagedObjectContext) -> DispatchSemaphore {
    let release = DispatchSemaphore(value: 0)
    let isBusy = DispatchSemaphore(value: 0)
    context.perform {
      isBusy.signal()
      release.wait()
    }
    isBusy.wait()
    return release
  }

  @Test(
    "a task that waits for its turn on a queue ends when it is cancelled, and its work is not done (F20)"
  )
  func turn() async throws {
    // The context is used on its queue, or while no other thread uses it.
    nonisolated(unsafe) let context = try Stack().context
    let release = block(context)
    let hasRun = Flag()
    let task = Task {
      try await context.perform {
        hasRun.set()
        try context.save()
      }
    }
    task.cancel()
    await #expect(throws: PersistenceError(.userCancelled, "")) { try await task.value }
    release.signal()
    context.performAndWait {}
    #expect(!hasRun.isSet)
  }

  @Test("work that cannot throw is done however the task ends (F20, B224)")
  func certain() async throws {
    // The context is used on its queue, or while no other thread uses it.
    nonisolated(unsafe) let context = try Stack().context
    let release = block(context)
    let task = Task { await context.perform { 7 } }
    task.cancel()
    release.signal()
    #expect(await task.value == 7)
  }

  @Test("work of a task that was cancelled before neither reads nor saves (F20)")
  func before() async throws {
    let stack = try Stack()
    // The context is used on its queue, or while no other thread uses it.
    nonisolated(unsafe) let context = stack.context
    let actor = ContextActor(coordinator: stack.container.persistentStoreCoordinator)
    let isCancelled = DispatchSemaphore(value: 0)
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      isCancelled.signal()
      await #expect(throws: PersistenceError(.userCancelled, "")) {
        _ = try await context.perform { try context.fetch(Team.fetchRequest()) }.count
      }
      await #expect(throws: PersistenceError(.userCancelled, "")) {
        try await actor.perform { context in
          _ = Team(context: context)
          try context.save()
        }
      }
      return await actor.perform { $0.hasChanges }
    }
    task.cancel()
    #expect(await task.value)
    #expect(context.readError == nil)
    #expect(try await context.perform { try context.fetch(Team.fetchRequest()) }.isEmpty)
    try await actor.perform { try $0.save() }
    #expect(try await context.perform { try context.count(for: Team.fetchRequest()) } == 1)
  }

  @Test(
    "what a cancelled task's work starts, and a parent's own work, is not cancelled with it (F20)")
  func others() async throws {
    let stack = try Stack()
    // The context is used on its queue, or while no other thread uses it.
    nonisolated(unsafe) let context = stack.context
    let coordinator = stack.container.persistentStoreCoordinator
    let started = StartedTask()
    let goesOn = Flag()
    let isCancelled = DispatchSemaphore(value: 0)
    let hasBegun = DispatchSemaphore(value: 0)
    let task = Task {
      try await context.perform {
        started.set(
          Task {
            try await waitUntil(goesOn.isSet)
            let own = ManagedObjectContext(coordinator: coordinator)
            return try own.count(for: Team.fetchRequest())
          })
        hasBegun.signal()
        isCancelled.wait()
        return try context.count(for: Team.fetchRequest())
      }
    }
    await withCheckedContinuation { continuation in
      Thread {
        hasBegun.wait()
        continuation.resume()
      }.start()
    }
    task.cancel()
    goesOn.set()
    let inner = try #require(started.value)
    #expect(try await inner.value == 0)
    isCancelled.signal()
    await #expect(throws: PersistenceError(.userCancelled, "")) { try await task.value }
  }

  @Test("a child's read in its parent's queue ends with the child's task (F20, B210)")
  func child() async throws {
    let stack = try Stack()
    _ = Team(context: stack.context)
    try stack.context.save()
    // The context is used on its queue, or while no other thread uses it.
    nonisolated(unsafe) let child = ManagedObjectContext(.privateQueue, parent: stack.context)
    let task = Task {
      while !Task.isCancelled { await Task.yield() }
      return await child.perform { () -> PersistenceError? in
        do {
          _ = try child.fetch(Team.fetchRequest())
          return nil
        } catch {
          return error as? PersistenceError
        }
      }
    }
    task.cancel()
    #expect(await task.value?.code == .userCancelled)
    #expect(try await child.perform { try child.fetch(Team.fetchRequest()).count } == 1)
  }
}
