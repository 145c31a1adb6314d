// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostStore

extension [AttachedStore] {
  /// Runs `body` while no other commit to any of the stores runs through this coordinator. The locks are taken in the
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

  /// Runs `body` while this coordinator commits no single-store save to any of the stores, so that all reads in
  /// `body` see one common state.
  ///
  /// It waits for commits only, not for the other waits of a save. It first retries optimistically; only when commits
  /// keep coming does it lock them out.
  ///
  /// - Throws: `userCancelled`, or what `body` throws.
  func betweenCommits<Result>(_ body: () throws -> Result) throws -> Result {
    for _ in 0..<Self.attempts {
      let before = map(\.commits.shareCount)
      if !before.contains(nil) {
        let result = try body()
        if map(\.commits.shareCount) == before { return result }
      }
      try RequestScope.cancellation?.check()
      Thread.sleep(forTimeInterval: Self.pause)
    }
    var locked: [CommitGate] = []
    defer { for gate in locked.reversed() { gate.unlock() } }
    for gate in sorted(by: { $0.order < $1.order }).map(\.commits) {
      try gate.lock(RequestScope.cancellation)
      locked.append(gate)
    }
    return try body()
  }

  private static var attempts: Int { 10 }
  private static var pause: Double { 0.0002 }
}
