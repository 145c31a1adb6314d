// SPDX-License-Identifier: Apache-2.0

import RoostKeyValue
import RoostStore

/// A group commit: writers whose batches go into one transaction, one after the other. Each one sees the writes of
/// those before it, and one that throws leaves no writes behind.
final class WriteGroup {
  typealias Body = (any KeyValueSnapshot, inout WriteBatch) throws -> Void

  private var own: Body?
  private let queue: WriteQueue<Body>?
  private var others: [WriteQueue<Body>.Waiter] = []
  private var results: [Result<Void, any Error>] = []
  /// Whether the group is closed to further members.
  private(set) var isWhole: Bool
  /// Whether the commit has begun: an error now means that all of it was written, or that the outcome is unknown.
  var isCommitting = false

  /// Makes a group of a leader and of the writers that are queued when it is gathered.
  init(_ own: @escaping Body, _ queue: WriteQueue<Body>) {
    self.own = own
    self.queue = queue
    isWhole = false
  }

  private init(alone body: Body?) {
    own = body
    queue = nil
    isWhole = true
  }

  /// The number of members, including the leader.
  var count: Int { others.count + 1 }

  /// Adds the queued writers, the first time, and resets the results otherwise: a transaction may have to be
  /// repeated.
  func gather() {
    if !isWhole, let queue {
      others = queue.takeWaiting()
      isWhole = true
    }
    isCommitting = false
    results = count > 1 ? Array(repeating: .success(()), count: count) : []
  }

  /// One of the group, to be written by itself.
  func alone(_ index: Int) -> WriteGroup { WriteGroup(alone: body(index)) }

  private func body(_ index: Int) -> Body? { index == 0 ? own : others[index - 1].work }

  /// Runs the body of a member; nil when it failed, which does not affect the others of a group.
  func run(_ index: Int, _ run: (Body) throws -> WriteBatch) throws -> WriteBatch? {
    guard let body = body(index) else { return nil }
    do {
      return try run(body)
    } catch  where count > 1 {
      results[index] = .failure(error)
      return nil
    }
  }

  /// Records the result of one of several members.
  func end(_ index: Int, _ result: Result<Void, any Error>) {
    results[index] = result
  }

  /// Records the same error for all members.
  func endAll(with error: any Error) {
    results = Array(repeating: .failure(error), count: count)
  }

  /// Delivers their results to the other writers.
  ///
  /// - Throws: The error of the leader's own batch.
  func finish() throws {
    for (index, waiter) in others.enumerated() { waiter.finish(results[index + 1]) }
    if let own = results.first { try own.get() }
  }

  /// Releases the leader's body, which does not outlive its call.
  func letGo() {
    own = nil
  }
}
