// SPDX-License-Identifier: Apache-2.0

public import RoostCoordinator
public import RoostObjects
public import RoostQuery

/// How live results of a request are kept: what concerns them, what a change costs, and how they notice what others
/// save.
///
/// ```swift
/// let plan = try context.explain(request, live: LiveOptions())
/// if !plan.isKeptByDifferences { print("fetched for each change:", plan.fetchedFor) }
/// print(plan)
/// ```
public struct LivePlan: Sendable, CustomStringConvertible {
  /// Why results are fetched anew for each change that concerns them.
  ///
  /// ```swift
  /// if plan.fetchedFor.contains(.farOffset) { print("ask for pages by a condition") }
  /// ```
  public enum Reason: String, Sendable, Hashable, CaseIterable {
    /// The consistency is ``LiveOptions/Consistency-swift.enum/snapshot``.
    case snapshot = "each state is read by one request (consistency snapshot)"
    /// The offset is above 256.
    case farOffset = "more than 256 records come before the results (fetchOffset)"
    /// The request does not include pending changes.
    case storedState = "unsaved changes do not count (includesPendingChanges)"
    /// The request names the stores that it is for.
    case namedStores = "only some stores are asked (affectedStores)"
  }

  /// How saves of other coordinators and processes are noticed in a store.
  ///
  /// ```swift
  /// if plan.stores.contains(where: { $0.others == .mark }) { print("switch on the history") }
  /// ```
  public enum Others: String, Sendable, Hashable {
    /// The scope leaves them out.
    case notFollowed = "not shown (scope)"
    /// The context is a child: it shows what its parent merges.
    case parent = "what the parent merges"
    /// By the store's history, which tells what was written: only that is judged.
    case history = "by the history: what was written is judged"
    /// By the store's mark, which tells that something was written: the results are fetched anew.
    case mark = "by the mark, without a history: fetched anew whatever was written"
    /// Nothing tells of them: the store is for one coordinator, or was removed.
    case unseen = "not noticed: the store has neither a history nor a mark"
  }

  /// One store that is asked.
  ///
  /// ```swift
  /// for store in plan.stores { print(store.identifier, store.others) }
  /// ```
  public struct Store: Sendable {
    /// The store's UUID.
    public let identifier: String
    /// The name of the store's type, such as `SQLite`.
    public let type: String
    /// How saves of other coordinators and processes are noticed.
    public let others: Others
    /// What the store does for a fetch of the results.
    public let fetch: StorePlan
  }

  /// Why the results are fetched anew for each change that concerns them; empty where changed records are judged one by
  /// one and moved to their places.
  public let fetchedFor: [Reason]
  /// The properties by which a record is judged and placed, by the names of the results' entities. A change of another
  /// one is told if it is one of a result, and costs no request.
  public let reads: [String: [String]]
  /// The properties that are read through relationships, by the names of entities. A change of one of them, and a
  /// record of such an entity that comes or goes, fetches the results anew.
  public let reaches: [String: [String]]
  /// Whether `container.liveCount` keeps the number of objects by judging changed records, as long as they are not more
  /// than some thousands, and does not ask for it after each change.
  public let countsByDifferences: Bool
  /// The stores that are asked.
  public let stores: [Store]

  /// Whether changed records of the results' own entities are judged one by one.
  public var isKeptByDifferences: Bool { fetchedFor.isEmpty }

  init(_ explanation: LiveExplanation, _ scope: LiveOptions.Scope) {
    fetchedFor = explanation.reasons.map(Reason.init)
    reads = explanation.own
    reaches = explanation.related
    countsByDifferences = explanation.isCountKept
    stores = explanation.stores.map { store in
      let others: Others = scope == .everything ? Others(store.hearing) : .notFollowed
      return Store(
        identifier: store.plan.identifier, type: store.plan.type, others: others, fetch: store.plan)
    }
  }

  /// The plan, a line for each part.
  public var description: String {
    var lines = ["changed records: " + (isKeptByDifferences ? "judged one by one" : "fetched anew")]
    lines += fetchedFor.map { "  because " + $0.rawValue }
    func add(_ title: String, _ properties: [String: [String]]) {
      for (entity, names) in properties.sorted(by: { $0.key < $1.key }) {
        lines.append("\(title) \(entity): \(names.isEmpty ? "-" : names.joined(separator: ", "))")
      }
    }
    add("reads", reads)
    add("fetched anew after changes of", reaches)
    lines.append("number: " + (countsByDifferences ? "kept by judging" : "asked for"))
    for store in stores {
      lines.append("\(store.type) \(store.identifier)")
      lines.append("  saves of others: " + store.others.rawValue)
    }
    return lines.joined(separator: "\n")
  }
}

extension LivePlan.Reason {
  fileprivate init(_ reason: LiveFetchReason) {
    self =
      switch reason {
      case .snapshot: .snapshot
      case .farOffset: .farOffset
      case .storedState: .storedState
      case .namedStores: .namedStores
      }
  }
}

extension LivePlan.Others {
  fileprivate init(_ hearing: LiveExplanation.Hearing) {
    self =
      switch hearing {
      case .history: .history
      case .mark: .mark
      case .parent: .parent
      case .unseen: .unseen
      }
  }
}

extension ManagedObjectContext {
  /// Returns how live results of a request would be kept, without beginning any: by judging changed records or by
  /// fetching anew, and why, what concerns them, and how they notice what others save.
  ///
  /// ```swift
  /// print(try context.explain(Issue.where { $0.isOpen == true }, live: LiveOptions()))
  /// ```
  /// - Parameters:
  ///   - request: What would be asked.
  ///   - options: How the results would follow.
  /// - Throws: As `fetch`.
  /// - Complexity: As `explain` of the request.
  public func explain<T>(_ request: FetchRequest<T>, live options: LiveOptions) throws -> LivePlan {
    LivePlan(
      try LiveExplanation(
        of: request, sectionKeyPath: options.sectionKeyPath,
        isAlwaysFetched: options.consistency == .snapshot, in: self), options.scope)
  }
}
