// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A value that the threads of a coordinator share, behind a lock that stays fast under contention.
///
/// On Linux `Synchronization.Mutex` is a fair lock: unlock hands it to the next waiter, and no other thread can take
/// it until that thread runs. Where each thread takes a lock many times per request, all of them soon run at the pace
/// of the scheduler: eight reading contexts were slower together than one alone. This lock is unfair, and spins
/// briefly before it sleeps.
package struct SharedState<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
  // Sendable: the value is reached only while the lock is held, and comes in by `sending`.

  // A lock must not move, so it is allocated separately, and so is the value: in a type with both, generic code would
  // have to look up the offset of the value.
  @usableFromInline package let lock: SharedLock
  @usableFromInline package let value: UnsafeMutablePointer<Value>

  /// Makes a shared value.
  package init(_ value: consuming sending Value) {
    lock = SharedLock()
    self.value = .allocate(capacity: 1)
    self.value.initialize(to: value)
  }

  deinit {
    lock.deallocate()
    value.deinitialize(count: 1)
    value.deallocate()
  }

  /// Runs `body` with exclusive access to the value. Inlined, because a request takes many locks and does little
  /// under each.
  @inlinable @inline(__always)
  package borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value.pointee)
  }

  /// Runs `body`, or returns nil at once when another thread holds the lock.
  package borrowing func withLockIfAvailable<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result? {
    guard lock.tryLock() else { return nil }
    defer { lock.unlock() }
    return try body(&value.pointee)
  }
}

/// The lock of a ``SharedState``.
@usableFromInline package struct SharedLock {
  private let mutex: UnsafeMutablePointer<pthread_mutex_t>

  init() {
    mutex = .allocate(capacity: 1)
    mutex.initialize(to: pthread_mutex_t())
    var attributes = pthread_mutexattr_t()
    pthread_mutexattr_init(&attributes)
    #if canImport(Glibc)
    pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_ADAPTIVE_NP))
    #endif
    pthread_mutex_init(mutex, &attributes)
    pthread_mutexattr_destroy(&attributes)
  }

  @usableFromInline package func lock() { pthread_mutex_lock(mutex) }

  @usableFromInline package func unlock() { pthread_mutex_unlock(mutex) }

  func tryLock() -> Bool { pthread_mutex_trylock(mutex) == 0 }

  func deallocate() {
    pthread_mutex_destroy(mutex)
    mutex.deallocate()
  }
}
