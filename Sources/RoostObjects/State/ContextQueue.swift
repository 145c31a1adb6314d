// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import RoostCoordinator
import Synchronization

/// The queue of a context: first in, first out, and reentrant for those who are on it (B222, B223).
///
/// Who waits for a queue holds it: a block that enters a child's queue from the parent's can go back to the parent,
/// which nobody else can use meanwhile.
final class ContextQueue: Sendable {
  let queue: DispatchQueue
  /// Whose queue it is; nil when the context is gone.
  // Set when the context is made and when it goes, and only looked at on the queue, by work that holds the context. A
  // weak reference would make each count of the context's references three times as slow.
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

  /// Who uses the context.
  private enum User: UInt8, AtomicRepresentable {
    /// The thread that holds it, without a queue.
    case owner
    /// No thread yet: until its first use the queue may merge into it.
    case nobody
    /// Work that was given to the queue.
    case queue
  }

  /// Notes that work is given to the queue: from then on it may run beside its context's maker.
  ///
  /// - Parameter context: The context, which the caller is alone with until then.
  /// - Returns: Whether it is the first time.
  @discardableResult func noteUse(of context: ManagedObjectContext) -> Bool {
    if user.load(ordering: .acquiring) == .queue { return false }
    return firstUse.withLock { _ in
      if user.load(ordering: .relaxed) == .queue { return false }
      context.registry.share()
      user.store(.queue, ordering: .sequentiallyConsistent)
      return true
    }
  }

  /// Whether the context belongs to the queue alone (B221).
  var isWatched: Bool { isMain || user.load(ordering: .sequentiallyConsistent) == .queue }

  /// Lets the queue merge into the context until its first use.
  func awaitUser() {
    user.store(.nobody, ordering: .sequentiallyConsistent)
  }

  /// Whether nobody has used the context yet.
  var isUnused: Bool { user.load(ordering: .sequentiallyConsistent) == .nobody }

  /// Whether the queue may merge into the context now.
  var mayMerge: Bool { isMain || user.load(ordering: .sequentiallyConsistent) != .owner }

  /// Leaves a context that nobody has used to the caller, who is not on the queue. A merge that has begun is over then,
  /// and none begins any more.
  func leaveToOwner() {
    let found = user.compareExchange(
      expected: .nobody, desired: .owner, ordering: .sequentiallyConsistent)
    if found.exchanged { queue.sync {} }
  }

  /// Whether the caller is on the queue, or was when it began to wait for the one that it is on.
  var isCurrent: Bool {
    // Off Apple's platforms the main queue may be served by other threads than the first one.
    if isMain, Thread.isMainThread || DispatchQueue.getSpecific(key: ContextQueue.mainKey) == true {
      return true
    }
    return HeldQueue.isHeld(ObjectIdentifier(queue))
  }

  /// Runs a block later.
  func enqueue(_ body: @escaping @Sendable () -> Void) {
    queue.async { [self] in HeldQueue.holding(self, outer: nil, body) }
  }

  /// Runs a block after some time.
  func enqueue(afterSeconds seconds: Int, _ body: @escaping @Sendable () -> Void) {
    queue.asyncAfter(deadline: .now() + .seconds(seconds)) { [self] in
      HeldQueue.holding(self, outer: nil, body)
    }
  }

  /// Runs a block and waits for it, holding what the caller holds.
  func wait<Result>(for body: () throws -> Result) rethrows -> Result {
    let outer = HeldQueue.current
    // The main queue may run it on another thread, and it is a part of the caller's work all the same.
    let cancellation = RequestScope.cancellation
    return try queue.sync {
      try RequestScope.cancellable(by: cancellation) {
        try HeldQueue.holding(self, outer: outer, body)
      }
    }
  }

  /// Runs a block at once for a caller that is on the queue, or holds it.
  func inline<Result, Failure: Error>(
    _ body: () throws(Failure) -> Result
  ) throws(Failure) -> Result {
    try HeldQueue.holding(self, outer: HeldQueue.current, body)
  }

  /// The context on whose queue the current thread runs a block; nil when it runs none (B139).
  static var currentContext: ManagedObjectContext? { HeldQueue.current?.owner.context }
}

/// The queues that the current thread holds: the one that it is on, and those that wait for it.
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

  /// Runs `body` as one that holds a queue, and what the waiting caller holds.
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
