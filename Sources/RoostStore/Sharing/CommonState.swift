// SPDX-License-Identifier: Apache-2.0

/// A ``SharedState`` that several objects have: a store, and what stands for it in requests that can be cancelled.
package final class CommonState<Value>: Sendable {
  private let shared: SharedState<Value>

  /// Makes a value to be shared.
  package init(_ value: consuming sending Value) {
    shared = SharedState(value)
  }

  /// Runs `body` while no other thread has the value.
  package func withLock<Result, Failure: Error>(
    _ body: (inout sending Value) throws(Failure) -> sending Result
  ) throws(Failure) -> sending Result {
    try shared.withLock(body)
  }
}
