// SPDX-License-Identifier: Apache-2.0

import RoostKeyValue
import RoostStore

/// Writers whose batches go into one transaction, one after the other: each sees what those before it have written, and
/// one that throws leaves nothing there.
final class WriteGroup {
  typealias Body = (any KeyValueSnapshot, inout WriteBatch) throws -> Void

  private var own: Body?
  private let queue: WriteQueue<Body>?
  private var others: [WriteQueue<Body>.Waiter] = []
  private var results: [Result<Void, any Error>] = []
  /// Whether nobody joins any more.
  private(set) var isWhole: Bool
  /// Whether the transaction was to be made durable: then all of it is written, or nobody knows.
  var isCommitting = false

  /// A group of a leader and of those who wait by the time when it is gathered.
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

  /// How many there are, the leader included.
  var count: Int { others.count + 1 }

  /// Takes in those who wait, once, and begins anew otherwise: a transaction may have to be repeated.
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

  /// Lets a member make its batch; nil when it failed, which is its own affair among several.
  func run(_ index: Int, _ run: (Body) throws -> WriteBatch) throws -> WriteBatch? {
    guard let body = body(index) else { return nil }
    do {
      return try run(body)
    } catch  where count > 1 {
      results[index] = .failure(error)
      return nil
    }
  }

  /// Notes how one of several members ended.
  func end(_ index: Int, _ result: Result<Void, any Error>) {
    results[index] = result
  }

  /// Notes that all ended with an error.
  func endAll(with error: any Error) {
    results = Array(repeating: .failure(error), count: count)
  }

  /// Tells the others how they ended.
  ///
  /// - Throws: What became of the leader's own work.
  func finish() throws {
    for (index, waiter) in others.enumerated() { waiter.finish(results[index + 1]) }
    if let own = results.first { try own.get() }
  }

  /// Lets go of the leader's work, which does not outlive its call.
  func letGo() {
    own = nil
  }
}
