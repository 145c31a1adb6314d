// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What the threads of a coordinator share, behind a lock that gets faster and not slower when many want it.
///
/// On Linux `Synchronization.Mutex` hands itself on: a thread that unlocks one that others wait for must wake the next,
/// and nobody may have it until that thread runs. Where each thread takes a lock many times in a request, all of them
/// soon go at the pace of the scheduler: eight contexts that read were slower together than one alone. This lock may
/// be taken by the first to come, and spins a little before it sleeps.
package struct SharedState<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
  // Sendable: the value is reached only while the lock is held, and comes in by `sending`.

  // A lock must not move, so it has memory of its own, and so has the value: of a type that held both, generic code
  // would have to ask where the value is.
  @usableFromInline package let lock: SharedLock
  @usableFromInline package let value: UnsafeMutablePointer<Value>

  /// Makes a value to be shared.
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

  /// Runs `body` while no other thread has the value. In the caller's code: a request takes many locks, and does little
  /// behind each.
  @inlinable @inline(__always)
  package borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    lock.lock()
    defer { lock.unlock() }
    return try body(&value.pointee)
  }

  /// Runs `body` unless another thread has the value; then it returns nil at once.
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
