// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// A request that is ready for a store: names are resolved in the model, and objects are replaced by IDs.
///
/// ```swift
/// let fetch = ResolvedFetch(entity: person, entities: [person], limit: 10)
/// let result = try store.fetch(fetch)
/// ```
public struct ResolvedFetch: Sendable {
  /// The maximum number of results; nil for all.
  public var limit: Int?
  /// The number of results to skip at the beginning.
  public var offset: Int
  /// The shape shared with requests that differ only in ``arguments``, ``limit`` and ``offset``; nil for a request
  /// that has none, or was changed since.
  public private(set) var shape: FetchShape?
  /// The values in the condition from left to right, when there is a ``shape``.
  public private(set) var arguments: [Value] = []
  /// All other parts; with a shape those of the shape, whose condition has placeholder values.
  private var parts: FetchParts

  /// Makes a request.
  public init(
    entity: EntityDescription, entities: [EntityDescription],
    predicate: ResolvedPredicate? = nil, sort: [ResolvedSort] = [], limit: Int? = nil,
    offset: Int = 0, result: Result = .rows
  ) {
    parts = FetchParts(
      entity: entity, entities: entities, condition: predicate, sort: sort, result: result)
    self.limit = limit
    self.offset = offset
  }

  /// Makes a request of a shape.
  init(_ shape: FetchShape, _ arguments: [Value], limit: Int? = nil, offset: Int = 0) {
    parts = shape.parts
    self.shape = shape
    self.arguments = arguments
    self.limit = limit
    self.offset = offset
  }

  /// The form of the results.
  ///
  /// ```swift
  /// if case .count = fetch.result { return .count(table.count) }
  /// ```
  public enum Result: Sendable {
    /// Whole rows.
    case rows
    /// Keys only.
    case keys
    /// The number of records.
    case count
    /// Columns, optionally grouped.
    case columns(ResolvedColumns)
  }
}

extension ResolvedFetch {
  /// The entity of the request.
  public var entity: EntityDescription {
    get { parts.values.entity }
    set { change { $0.entity = newValue } }
  }

  /// The concrete entities whose records are fetched.
  public var entities: [EntityDescription] {
    get { parts.values.entities }
    set { change { $0.entities = newValue } }
  }

  /// The condition; nil for all records. A request with a shape assembles it on access.
  public var predicate: ResolvedPredicate? {
    get { shape == nil ? parts.values.condition : shape?.predicate(with: arguments) }
    set { change { $0.condition = newValue } }
  }

  /// Whether there is a condition.
  package var hasPredicate: Bool { parts.values.condition != nil }

  /// The sort order; ties are ordered by key, ascending.
  public var sort: [ResolvedSort] {
    get { parts.values.sort }
    set { change { $0.sort = newValue } }
  }

  /// The form of the results.
  public var result: Result {
    get { parts.values.result }
    set { change { $0.result = newValue } }
  }

  /// Changes the request to fetch only the keys.
  package mutating func askForKeys() {
    if let shape { take(shape.ofKeys, arguments) } else { result = .keys }
  }

  /// Changes the request to fetch only the count.
  package mutating func askForCount() {
    if let shape { return take(shape.ofCount, arguments) }
    change {
      $0.result = .count
      $0.sort = []
    }
  }

  /// Sets the shape that the request was resolved for.
  mutating func take(_ shape: FetchShape, _ arguments: [Value]) {
    self.shape = shape
    self.arguments = arguments
    parts = shape.parts
  }

  /// Changes the parts. The request no longer has the shape, and gets its own copy of the condition.
  private mutating func change(_ body: (inout FetchParts.Values) -> Void) {
    var values = parts.values
    values.condition = predicate
    body(&values)
    shape = nil
    parts = FetchParts(values)
  }
}

/// The constant parts of a request behind one reference instead of a dozen, because each layer copies the request.
final class FetchParts: Sendable {
  struct Values: Sendable {
    var entity: EntityDescription
    var entities: [EntityDescription]
    var condition: ResolvedPredicate?
    var sort: [ResolvedSort]
    var result: ResolvedFetch.Result
  }

  let values: Values

  init(_ values: Values) {
    self.values = values
  }

  convenience init(
    entity: EntityDescription, entities: [EntityDescription], condition: ResolvedPredicate?,
    sort: [ResolvedSort], result: ResolvedFetch.Result
  ) {
    self.init(
      Values(
        entity: entity, entities: entities, condition: condition, sort: sort, result: result))
  }
}

/// The columns of a dictionary fetch.
///
/// ```swift
/// if case .columns(let columns) = fetch.result, columns.isAggregated { try group(by: columns.groupBy) }
/// ```
public struct ResolvedColumns: Sendable {
  /// The columns in order.
  public var columns: [Column]
  /// The expressions to group by; empty when nothing is grouped.
  public var groupBy: [ResolvedExpression]
  /// The condition on groups (HAVING); aggregate functions are `function(.count, [...])` and so on.
  public var having: ResolvedPredicate?
  /// Whether equal results are returned once.
  public var distinct: Bool

  /// Makes columns.
  public init(
    columns: [Column], groupBy: [ResolvedExpression] = [], having: ResolvedPredicate? = nil,
    distinct: Bool = false
  ) {
    self.columns = columns
    self.groupBy = groupBy
    self.having = having
    self.distinct = distinct
  }

  /// Whether a column or the condition on groups aggregates rows.
  public var isAggregated: Bool {
    !groupBy.isEmpty || having != nil || columns.contains(where: \.isAggregate)
  }

  /// One column.
  ///
  /// ```swift
  /// let header = columns.columns.map(\.name)
  /// ```
  public struct Column: Sendable {
    /// The key of the value in the dictionary.
    public var name: String
    /// The expression: over one row, or for an aggregate over the rows of a group, such as `function(.sum, [path])`.
    public var expression: ResolvedExpression
    /// Whether the expression aggregates the rows of a group.
    public var isAggregate: Bool
    /// The type of the values.
    public var type: AttributeType

    /// Makes a column.
    public init(
      name: String, expression: ResolvedExpression, isAggregate: Bool, type: AttributeType
    ) {
      self.name = name
      self.expression = expression
      self.isAggregate = isAggregate
      self.type = type
    }
  }
}
