// SPDX-License-Identifier: Apache-2.0

public import RoostCoordinator
public import RoostObjects
public import RoostQuery

/// The plan for keeping live results up to date: relevant properties, costs of a change, and detection of other
/// saves.
///
/// ```swift
/// let plan = try context.explain(request, live: LiveOptions())
/// if !plan.isKeptByDifferences { print("fetched for each change:", plan.fetchedFor) }
/// print(plan)
/// ```
public struct LivePlan: Sendable, CustomStringConvertible {
  /// A reason for fetching results again after every relevant change.
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
    /// The request names its stores (`affectedStores`).
    case namedStores = "only some stores are asked (affectedStores)"
  }

  /// The way in which saves of other coordinators and processes are detected in a store.
  ///
  /// ```swift
  /// if plan.stores.contains(where: { $0.others == .mark }) { print("switch on the history") }
  /// ```
  public enum Others: String, Sendable, Hashable {
    /// The scope excludes them.
    case notFollowed = "not shown (scope)"
    /// The context is a child, and shows the saves that its parent merges.
    case parent = "what the parent merges"
    /// By the store's history, which lists the changed records: only these are evaluated.
    case history = "by the history: what was written is judged"
    /// By the store's change mark, which shows only that there was a write: the results are fetched again.
    case mark = "by the mark, without a history: fetched anew whatever was written"
    /// They are not detected: the store belongs to one coordinator, or was removed.
    case unseen = "not noticed: the store has neither a history nor a mark"
  }

  /// A store that the request reads.
  ///
  /// ```swift
  /// for store in plan.stores { print(store.identifier, store.others) }
  /// ```
  public struct Store: Sendable {
    /// The store's UUID.
    public let identifier: String
    /// The name of the store's type, such as `SQLite`.
    public let type: String
    /// How saves of other coordinators and processes are detected.
    public let others: Others
    /// The store's plan for a fetch of the results.
    public let fetch: StorePlan
  }

  /// The reasons for fetching the results again after every relevant change; empty when changed records are evaluated
  /// one by one and moved to their positions.
  public let fetchedFor: [Reason]
  /// The properties that decide whether a record matches and where it is sorted, by the names of the results'
  /// entities. A change of another property is reported if it belongs to a result, and costs no request.
  public let reads: [String: [String]]
  /// The properties that are read through relationships, by the names of entities. A change of one of them fetches
  /// the results again, and so does an inserted or deleted record of such an entity.
  public let reaches: [String: [String]]
  /// Whether `container.liveCount` maintains the count by evaluating changed records, instead of a request after each
  /// change. It does so up to some thousands of objects, and not with the consistency
  /// ``LiveOptions/Consistency-swift.enum/snapshot``.
  public let countsByDifferences: Bool
  /// The stores that the request reads.
  public let stores: [Store]

  /// Whether changed records of the results' own entities are evaluated one by one.
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
  /// Returns the plan for live results of a request, without starting any.
  ///
  /// The plan says whether changed records are evaluated or the results are fetched again, and why, which properties
  /// are relevant, and how saves of other coordinators and processes are detected.
  ///
  /// ```swift
  /// print(try context.explain(Issue.where { $0.isOpen == true }, live: LiveOptions()))
  /// ```
  /// - Parameters:
  ///   - request: The request.
  ///   - options: The options of the live results.
  /// - Throws: As `fetch`.
  /// - Complexity: As `explain` of the request.
  public func explain<T>(_ request: FetchRequest<T>, live options: LiveOptions) throws -> LivePlan {
    LivePlan(
      try LiveExplanation(
        of: request, sectionKeyPath: options.sectionKeyPath,
        isAlwaysFetched: options.consistency == .snapshot, in: self), options.scope)
  }
}
