// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import RoostCoordinator
import Synchronization

/// The queue of a context: first in, first out, and reentrant for code that runs on it (B222, B223).
///
/// A thread that waits for a queue holds its own queues meanwhile: a block on a child's queue, entered from the
/// parent's queue, can call back to the parent, which no other thread can use during the wait.
final class ContextQueue: Sendable {
  let queue: DispatchQueue
  /// The context of the queue; nil when it is gone.
  // Set when the context is created and when it goes away, and read only on the queue, by work that holds the
  // context. A weak reference would make reference counting of the context three times as slow.
  nonisolated(unsafe) unowned var context: ManagedObjectContext?
  let isMain: Bool
  private let user = Atomic<User>(.owner)
  private let firstUse = Mutex(())
  private static let mainKey = DispatchSpecificKey<Bool>()

  init(_ type: ManagedObjectContext.ConcurrencyType) {
    isMain = type.isMainQueue
    queue = isMain ? .main : DispatchQueue(label: "roost.context")
    if isMain { queue.setSpecific(key: ContextQueue.mainKey, value: true) }
  }

  /// The current user of the context.
  private enum User: UInt8, AtomicRepresentable {
    /// The thread that owns the context without using its queue.
    case owner
    /// No user yet: until the first use the queue may merge into the context.
    case nobody
    /// Work enqueued on the queue.
    case queue
  }

  /// Records that work is being enqueued: from then on it may run concurrently with the thread that created the
  /// context.
  ///
  /// - Parameter context: The context, to which the caller has exclusive access until then.
  /// - Returns: Whether this is the first use of the queue.
  @discardableResult func noteUse(of context: ManagedObjectContext) -> Bool {
    if user.load(ordering: .acquiring) == .queue { return false }
    return firstUse.withLock { _ in
      if user.load(ordering: .relaxed) == .queue { return false }
      context.registry.share()
      user.store(.queue, ordering: .sequentiallyConsistent)
      return true
    }
  }

  /// Whether the context may be used on its queue only (B221).
  var isWatched: Bool { isMain || user.load(ordering: .sequentiallyConsistent) == .queue }

  /// Lets the queue merge into the context until its first use.
  func awaitUser() {
    user.store(.nobody, ordering: .sequentiallyConsistent)
  }

  /// Whether the context has not been used yet.
  var isUnused: Bool { user.load(ordering: .sequentiallyConsistent) == .nobody }

  /// Whether the queue may merge into the context now.
  var mayMerge: Bool { isMain || user.load(ordering: .sequentiallyConsistent) != .owner }

  /// Makes the calling thread, which is not on the queue, the owner of an unused context. A running merge has
  /// finished on return, and none starts afterwards.
  func leaveToOwner() {
    let found = user.compareExchange(
      expected: .nobody, desired: .owner, ordering: .sequentiallyConsistent)
    if found.exchanged { queue.sync {} }
  }

  /// Whether the caller runs on the queue, or on a queue entered while the caller held this one.
  var isCurrent: Bool {
    // On platforms other than Apple's, threads other than the first one may serve the main queue.
    if isMain, Thread.isMainThread || DispatchQueue.getSpecific(key: ContextQueue.mainKey) == true {
      return true
    }
    return HeldQueue.isHeld(ObjectIdentifier(queue))
  }

  /// Enqueues a block.
  func enqueue(_ body: @escaping @Sendable () -> Void) {
    queue.async { [self] in HeldQueue.holding(self, outer: nil, body) }
  }

  /// Enqueues a block to run after a delay.
  func enqueue(afterSeconds seconds: Int, _ body: @escaping @Sendable () -> Void) {
    queue.asyncAfter(deadline: .now() + .seconds(seconds)) { [self] in
      HeldQueue.holding(self, outer: nil, body)
    }
  }

  /// Runs a block synchronously on the queue; the block inherits the queues that the caller holds.
  func wait<Result>(for body: () throws -> Result) rethrows -> Result {
    let outer = HeldQueue.current
    // The main queue may run the block on another thread; it still belongs to the caller's request.
    let cancellation = RequestScope.cancellation
    return try queue.sync {
      try RequestScope.cancellable(by: cancellation) {
        try HeldQueue.holding(self, outer: outer, body)
      }
    }
  }

  /// Runs a block directly for a caller that is on the queue or holds it.
  func inline<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try HeldQueue.holding(self, outer: HeldQueue.current, body)
  }

  /// The context on whose queue the current thread runs a block; nil outside of a block (B139).
  static var currentContext: ManagedObjectContext? { HeldQueue.current?.owner.context }
}

/// The queues that the current thread holds: its own, and those whose threads wait for it.
final class HeldQueue {
  let owner: ContextQueue
  private let outer: HeldQueue?

  private init(_ owner: ContextQueue, outer: HeldQueue?) {
    self.owner = owner
    self.outer = outer
  }

  private var queue: ObjectIdentifier { ObjectIdentifier(owner.queue) }

  private static let key: pthread_key_t = {
    var key = pthread_key_t()
    pthread_key_create(&key, nil)
    return key
  }()

  /// The innermost queue of the thread.
  static var current: HeldQueue? {
    guard let pointer = pthread_getspecific(key) else { return nil }
    return Unmanaged<HeldQueue>.fromOpaque(pointer).takeUnretainedValue()
  }

  static func isHeld(_ queue: ObjectIdentifier) -> Bool {
    var next = current
    while let held = next {
      if held.queue == queue { return true }
      next = held.outer
    }
    return false
  }

  /// Runs `body` with a queue marked as held, in addition to the queues held by the waiting caller.
  static func holding<Result, Failure: Error>(
    _ owner: ContextQueue, outer: HeldQueue?, _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    let held = HeldQueue(owner, outer: outer)
    let before = pthread_getspecific(key)
    pthread_setspecific(key, Unmanaged.passUnretained(held).toOpaque())
    defer { pthread_setspecific(key, before) }
    defer { withExtendedLifetime(held) {} }
    return try body()
  }
}
