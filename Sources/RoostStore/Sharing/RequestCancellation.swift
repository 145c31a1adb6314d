// SPDX-License-Identifier: Apache-2.0

public import RoostModel
import Synchronization

/// Cancels a running request.
///
/// The caller calls ``cancel()``, from any thread. The store gets the same object by
/// ``PersistentStore/cancellable(by:)``: it polls ``check()`` between the steps of a request, and wraps blocking
/// calls in ``interrupting(_:_:)``, which calls it back.
///
/// ```swift
/// for page in pages {
///   try cancellation.check()
///   try read(page)
/// }
/// ```
public final class RequestCancellation: Sendable {
  private struct Interruption: Sendable {
    let number: Int
    let call: @Sendable () -> Void
  }

  private let flag = Atomic<Bool>(false)
  private let interruptions = Mutex<(next: Int, list: [Interruption])>((0, []))

  /// Makes a cancellation for one request, or for several that are cancelled together.
  public init() {}

  /// Whether ``cancel()`` was called.
  public var isCancelled: Bool { flag.load(ordering: .acquiring) }

  /// Cancels the request. Returns at once; the request ends soon afterwards, on its own thread.
  public func cancel() {
    guard !flag.exchange(true, ordering: .acquiringAndReleasing) else { return }
    // Called under the lock, so that an interruption cannot hit a thread that has already left its step.
    interruptions.withLock { for interruption in $0.list { interruption.call() } }
  }

  /// Ends a request that was cancelled.
  ///
  /// - Throws: ``PersistenceError`` with code `userCancelled` when the request was cancelled.
  /// - Complexity: O(1), without a lock.
  public func check() throws(PersistenceError) {
    if isCancelled { throw Self.error }
  }

  /// Runs `body`, and calls `interrupt` when the request is cancelled meanwhile: at most once, and never after `body`
  /// has ended.
  ///
  /// - Parameters:
  ///   - interrupt: Makes `body` end. It is called on the thread that cancels, must not wait, and must take no lock
  ///     that is held while this is called.
  ///   - body: A step that may wait.
  /// - Returns: What `body` returns.
  /// - Throws: ``PersistenceError`` with code `userCancelled` when the request was cancelled before, or what `body`
  ///   throws.
  public func interrupting<Result>(
    _ interrupt: @escaping @Sendable () -> Void, _ body: () throws -> Result
  ) throws -> Result {
    let number = interruptions.withLock { state in
      state.next += 1
      state.list.append(Interruption(number: state.next, call: interrupt))
      return state.next
    }
    defer {
      interruptions.withLock { state in state.list.removeAll { $0.number == number } }
    }
    try check()
    return try body()
  }

  /// The error of a cancelled request.
  public static let error = PersistenceError(
    .userCancelled, "The request was cancelled by its caller.")
}

extension Optional where Wrapped == RequestCancellation {
  /// Ends a request that was cancelled.
  @inline(__always)
  package func check() throws(PersistenceError) {
    if let self { try self.check() }
  }

  /// Runs `body`, interruptible when there is a cancellation.
  package func interrupting<Result>(
    _ interrupt: @escaping @Sendable () -> Void, _ body: () throws -> Result
  ) throws -> Result {
    guard let self else { return try body() }
    return try self.interrupting(interrupt, body)
  }
}
