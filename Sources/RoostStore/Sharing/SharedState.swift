// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// What the threads of a coordinator share, behind a lock that gets faster and not slower when many want it.
///
/// On Linux `Synchronization.Mutex` hands itself on: whoever lets go of one that others wait for must wake the next,
/// and nobody may have it until that thread runs. Where each thread takes a lock many times in a request, all of them
/// soon go at the pace of the scheduler: eight contexts that read were slower together than one alone. This lock may
/// be taken by whoever comes first, and spins a little before it sleeps.
@frozen package struct SharedState<Value: ~Copyable>: ~Copyable, @unchecked Sendable {
  // Sendable: the value is reached only while the lock is held, and comes in by `sending`.
  //
  // All of it is compiled into those who use it: generic code that is called costs more than the lock.
  @frozen @usableFromInline struct Content: ~Copyable {
    @usableFromInline var lock = pthread_mutex_t()
    @usableFromInline var value: Value

    @inlinable init(_ value: consuming sending Value) { self.value = value }
  }

  // A lock must not move, so it has memory of its own.
  @usableFromInline let content: UnsafeMutablePointer<Content>

  /// Makes a value to be shared.
  @inlinable package init(_ value: consuming sending Value) {
    content = .allocate(capacity: 1)
    content.initialize(to: Content(value))
    var attributes = pthread_mutexattr_t()
    pthread_mutexattr_init(&attributes)
    #if canImport(Glibc)
    pthread_mutexattr_settype(&attributes, Int32(PTHREAD_MUTEX_ADAPTIVE_NP))
    #endif
    pthread_mutex_init(&content.pointee.lock, &attributes)
    pthread_mutexattr_destroy(&attributes)
  }

  @inlinable deinit {
    pthread_mutex_destroy(&content.pointee.lock)
    content.deinitialize(count: 1)
    content.deallocate()
  }

  /// Runs `body` while no other thread has the value.
  @inlinable @inline(__always) package borrowing func withLock<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    pthread_mutex_lock(&content.pointee.lock)
    defer { pthread_mutex_unlock(&content.pointee.lock) }
    return try body(&content.pointee.value)
  }

  /// Runs `body` unless another thread has the value; then it returns nil at once.
  @inlinable @inline(__always)
  package borrowing func withLockIfAvailable<Result: ~Copyable, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result? {
    guard pthread_mutex_trylock(&content.pointee.lock) == 0 else { return nil }
    defer { pthread_mutex_unlock(&content.pointee.lock) }
    return try body(&content.pointee.value)
  }
}
