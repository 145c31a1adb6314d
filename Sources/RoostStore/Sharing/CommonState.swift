// SPDX-License-Identifier: Apache-2.0

/// A ``SharedState`` that several objects share: a store, and its cancellable wrappers.
package final class CommonState<Value>: Sendable {
  private let shared: SharedState<Value>

  /// Makes a shared value.
  package init(_ value: consuming sending Value) {
    shared = SharedState(value)
  }

  /// Runs `body` with exclusive access to the value.
  package func withLock<Result, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    try shared.withLock(body)
  }
}
