// SPDX-License-Identifier: Apache-2.0

import CSwiftRuntime
import Synchronization

/// The lock of the registries of some contexts.
///
/// Contexts share a small number of locks that live as long as the process: the release of an object on one thread
/// takes the lock of a context that another thread may be releasing at the same time.
final class RegistryLock: Sendable {
  private let mutex = Mutex(())

  private static let all = (0..<64).map { _ in RegistryLock() }

  /// The lock of a context.
  @inline(__always) static func of(_ context: ManagedObjectContext) -> RegistryLock {
    of(Unmanaged.passUnretained(context))
  }

  /// The lock of a context that may be deallocated already.
  @inline(__always) static func of(_ context: Unmanaged<ManagedObjectContext>) -> RegistryLock {
    let address = UInt(bitPattern: context.toOpaque())
    return all[Int((address >> 6 ^ address >> 12) & 63)]
  }

  /// Runs a short closure that neither calls the program's code nor releases an object.
  @inline(__always) func withLock<Result>(_ body: () -> Result) -> Result {
    // The closure's result does not leave the caller's thread.
    nonisolated(unsafe) let body = body
    nonisolated(unsafe) var result: Result?
    mutex.withLock { _ in result = body() }
    return result.unsafelyUnwrapped
  }
}

extension Unmanaged {
  /// Returns a strong reference, or nil if the reference count has reached zero and another thread is deallocating
  /// the instance. Its memory must still exist: its `deinit` waits for a lock that the caller holds.
  func takeUnlessReleased() -> Instance? {
    guard swift_tryRetain(toOpaque()) != nil else { return nil }
    return takeRetainedValue()
  }
}
