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
  private let lock: UnsafeMutablePointer<pthread_mutex_t>
  private let value: UnsafeMutablePointer<Value>

  /// Makes a value to be shared.
  package init(_ value: consuming sending Value) {
    lock = .allocate(capacity: 1)
    lock.initialize(to: pthread_mutex_t())
    self.value = .allocate(capacity: 1)
    self.value.initialize(to: value)
    var attributes = pthread_mutexattr_t()
    pthread_mutexattr_init(&attributes)
    #if canImport(Glibc)
    pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_ADAPTIVE_NP))
    #endif
    pthread_mutex_init(lock, &attributes)
    pthread_mutexattr_destroy(&attributes)
  }

  deinit {
    pthread_mutex_destroy(lock)
    lock.deallocate()
    value.deinitialize(count: 1)
    value.deallocate()
  }

  /// Runs `body` while no other thread has the value.
  package borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    pthread_mutex_lock(lock)
    defer { pthread_mutex_unlock(lock) }
    return try body(&value.pointee)
  }

  /// Runs `body` unless another thread has the value; then it returns nil at once.
  package borrowing func withLockIfAvailable<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result? {
    guard pthread_mutex_trylock(lock) == 0 else { return nil }
    defer { pthread_mutex_unlock(lock) }
    return try body(&value.pointee)
  }
}
