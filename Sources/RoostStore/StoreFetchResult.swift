// SPDX-License-Identifier: Apache-2.0

public import RoostModel
public import RoostQuery

/// The result of a fetch from a store.
///
/// ```swift
/// let result = StoreFetchResult(content: .rows(rows), plan: QueryPlan(steps: [sql]))
/// ```
public struct StoreFetchResult: Sendable {
  /// The content of the result.
  public var content: Content
  /// The residual work; nil when the content is the final result.
  public var remainder: FetchRemainder?
  private let makePlan: @Sendable () -> QueryPlan

  /// Makes a result.
  ///
  /// - Parameters:
  ///   - content: The content; whole rows when there is a remainder.
  ///   - remainder: The residual work; nil when the content is the final result.
  ///   - plan: The query plan.
  public init(content: Content, remainder: FetchRemainder? = nil, plan: QueryPlan) {
    self.init(content: content, remainder: remainder) { plan }
  }

  /// Makes a result whose plan is computed only when it is read, for example for the log.
  package init(
    content: Content, remainder: FetchRemainder? = nil,
    makePlan: @escaping @Sendable () -> QueryPlan
  ) {
    self.content = content
    self.remainder = remainder
    self.makePlan = makePlan
  }

  /// The query plan.
  public var plan: QueryPlan { makePlan() }

  /// The content of the result.
  ///
  /// ```swift
  /// if case .rows(let rows) = result.content { print(rows.count) }
  /// ```
  public enum Content: Sendable {
    /// Whole rows, in order.
    case rows([Row])
    /// Keys, in order.
    case keys([Int64])
    /// A number.
    case count(Int)
    /// The values of columns, row after row: `values.count == rows * columns.count`.
    case tuples([Value], columns: Int)
  }
}

/// The residual part of a fetch, which the shared evaluator applies in this order to the returned rows.
///
/// ```swift
/// let remainder = FetchRemainder(
///   predicate: request.predicate, sort: !request.sort.isEmpty, window: true)
/// return StoreFetchResult(content: .rows(all), remainder: remainder, plan: plan)
/// ```
public struct FetchRemainder: Sendable {
  /// The residual predicate; nil when the store evaluated the whole condition.
  public var predicate: ResolvedPredicate?
  /// Whether the rows must still be sorted.
  public var sort: Bool
  /// Whether limit and offset must still be applied.
  public var window: Bool

  /// Makes a remainder. With a remainder, counting, projection and grouping are always done by the evaluator.
  ///
  /// - Parameters:
  ///   - predicate: The residual predicate; nil when the store evaluated the whole condition.
  ///   - sort: Whether the rows must still be sorted.
  ///   - window: Whether limit and offset must still be applied; true whenever one of the others remains, and for
  ///     grouped or distinct columns.
  public init(predicate: ResolvedPredicate?, sort: Bool, window: Bool) {
    self.predicate = predicate
    self.sort = sort
    self.window = window
  }
}

/// The query plan of a request: printed by `explain`, checked by policies.
///
/// ```swift
/// QueryPlan(steps: ["SELECT ..."], indexes: ["i_Person_name"], inMemory: ["name MATCHES"])
/// ```
public struct QueryPlan: Sendable, CustomStringConvertible {
  /// The executed statements or scans, in order.
  public var steps: [String]
  /// The indexes that are used.
  public var indexes: [String]
  /// The steps that run in memory afterwards; empty when the store does everything.
  public var inMemory: [String]

  /// Makes a plan.
  ///
  /// - Parameters:
  ///   - steps: The statements or scans, without values.
  ///   - indexes: The indexes that are used.
  ///   - inMemory: The steps that run in memory afterwards.
  public init(steps: [String], indexes: [String] = [], inMemory: [String] = []) {
    self.steps = steps
    self.indexes = indexes
    self.inMemory = inMemory
  }

  /// The plan, one line per step.
  public var description: String {
    var lines = steps.map { "store: " + $0 }
    lines += indexes.map { "index: " + $0 }
    lines += inMemory.map { "memory: " + $0 }
    return lines.joined(separator: "\n")
  }
}

/// The destinations of a to-many relationship for many sources: `keys[offsets[i]..<offsets[i + 1]]` belong to the
/// source `i` of the call, in the relationship's order, or by key where it has none.
///
/// ```swift
/// let found = RelationshipDestinations(offsets: [0, 2, 2], keys: [7, 9])
/// precondition(Array(found[source: 0]) == [7, 9] && found[source: 1].isEmpty)
/// ```
public struct RelationshipDestinations: Sendable {
  /// The start offset of each source's destinations, plus the end offset: one more entry than there are sources.
  public var offsets: [Int]
  /// The keys of all destinations.
  public var keys: [Int64]
  /// The positions of the destinations of an ordered relationship, parallel to `keys`; empty for others.
  public var positions: [Int64]

  /// Makes destinations.
  ///
  /// - Parameters:
  ///   - offsets: The start offset of each source's destinations, plus the end offset: one more entry than there are
  ///     sources.
  ///   - keys: The keys of all destinations.
  ///   - positions: The positions, parallel to `keys`, of an ordered relationship.
  public init(offsets: [Int], keys: [Int64], positions: [Int64] = []) {
    self.offsets = offsets
    self.keys = keys
    self.positions = positions
  }

  /// The destinations of a source.
  ///
  /// - Parameter index: The index of the source in the call.
  public subscript(source index: Int) -> ArraySlice<Int64> {
    keys[offsets[index]..<offsets[index + 1]]
  }
}
