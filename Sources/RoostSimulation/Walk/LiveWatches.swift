// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery

/// Results that are kept up to date beside a walk, in the context of the walk and in one that only merges: after each
/// step they equal a fetch, and a list that is changed by what is told equals them (L2).
final class LiveWatches {
  /// How many requests are followed in each context.
  static let count = 3

  private let context: ManagedObjectContext
  private var watches: [Watch] = []

  /// Follows some requests.
  ///
  /// - Parameter merges: Whether the context is one of its own that merges what others save.
  init(
    _ requests: [FetchRequest<ManagedObject>], in context: ManagedObjectContext, merges: Bool
  ) throws {
    self.context = context
    if merges { try context.mergeForLiveResults(remote: false) }
    watches = try requests.map { try Watch($0, in: context) }
  }

  /// Compares the results with a fetch, and the list with the results.
  func check() throws {
    context.processPendingChanges()
    for watch in watches { try watch.check(in: context) }
  }

  /// One request that is followed.
  private final class Watch: LiveListener {
    private let request: FetchRequest<ManagedObject>
    private var query: LiveQuery?
    /// A list that is changed by what is told, and by nothing else.
    private var list: [ObjectIdentifier] = []
    private var failure: PersistenceError?

    init(_ request: FetchRequest<ManagedObject>, in context: ManagedObjectContext) throws {
      self.request = request
      let query = try context.follow(request, for: self)
      list = query.elements.map { ObjectIdentifier($0) }
      self.query = query
    }

    func liveQuery(_ query: LiveQuery, did step: LiveStep) {
      failure = nil
      if step.change.isReset {
        list = step.new.map { ObjectIdentifier($0) }
      } else {
        step.change.apply(to: &list) { ObjectIdentifier(step.new[$0]) }
      }
    }

    func liveQuery(_ query: LiveQuery, failedWith error: PersistenceError) {
      failure = error
    }

    func liveQueryWasInvalidated(_ query: LiveQuery) {}

    func check(in context: ManagedObjectContext) throws {
      guard let query else { return }
      if let failure { throw failure }
      let fetched = try context.fetch(request)
      try expectEqual(
        query.elements.map(\.objectID), fetched.map(\.objectID), "what \(request) keeps (L2)")
      try expectEqual(
        list, fetched.map { ObjectIdentifier($0) }, "the list that follows \(request) (L1)")
    }
  }
}

extension Walker {
  /// Looks whether results that are kept up to date are those of a fetch.
  func checkLive(after step: WalkStep) throws {
    stepCount += 1
    switch step.kind {
    case .interfere, .policySave, .updateInBatch, .deleteInBatch, .reopen, .migrate:
      // What others have saved is not merged, or the contexts are gone.
      ownLive = nil
    default: break
    }
    if step.kind == .reopen || step.kind == .migrate { (siblingLive, sibling) = (nil, nil) }
    guard frames.isEmpty else { return }
    try ownLive?.check()
    try siblingLive?.check()
    if ownLive == nil || stepCount % 25 == 0 {
      ownLive = try LiveWatches(liveRequests(), in: stack.context, merges: false)
    }
    if siblingLive == nil || stepCount % 25 == 0 {
      let context = sibling ?? stack.makeContext()
      sibling = context
      siblingLive = try LiveWatches(liveRequests(), in: context, merges: true)
    }
  }

  private func liveRequests() throws -> [FetchRequest<ManagedObject>] {
    try (0..<LiveWatches.count).map { number in
      let (first, second) = (stepCount &* 31 &+ number, stepCount &* 17 &+ number &* 7)
      return try liveRequest(WalkStep(.fetch, first, second, stepCount &+ number))
    }
  }
}
