// SPDX-License-Identifier: Apache-2.0

import RoostStore

extension [AttachedStore] {
  /// Runs `body` while nobody else commits to one of the stores through this coordinator. The locks are taken in the
  /// order of the stores.
  ///
  /// - Throws: `userCancelled` when the work was cancelled before its turn came, and what `body` throws.
  func locking<Result>(
    _ cancellation: RequestCancellation?, _ body: () throws -> Result
  ) throws -> Result {
    var locked: [CommitGate] = []
    defer { for lock in locked.reversed() { lock.unlock() } }
    for lock in sorted(by: { $0.order < $1.order }).map(\.commitLock) {
      try lock.lock(cancellation)
      locked.append(lock)
    }
    return try body()
  }
}
