// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// A request that is ready for a store: every name was found in the model, every object became an ID.
///
/// ```swift
/// let fetch = ResolvedFetch(entity: person, entities: [person], limit: 10)
/// let result = try store.fetch(fetch)
/// ```
public struct ResolvedFetch: Sendable {
  /// How many results are wanted at the most; nil for all.
  public var limit: Int?
  /// How many results are left out at the beginning.
  public var offset: Int
  /// What the request has in common with those that differ in ``arguments``, ``limit`` and ``offset`` only; nil for a
  /// request that is not compiled, or was changed since.
  public private(set) var shape: FetchShape?
  /// The values of the condition from left to right, when there is a ``shape``.
  public private(set) var arguments: [Value] = []
  /// Everything else; with a shape it is the shape's, whose condition has other values.
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

  /// What is wanted of each record.
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
    /// Columns, perhaps grouped.
    case columns(ResolvedColumns)
  }
}

extension ResolvedFetch {
  /// The entity that was asked for.
  public var entity: EntityDescription {
    get { parts.values.entity }
    set { change { $0.entity = newValue } }
  }

  /// The concrete entities whose records are looked at.
  public var entities: [EntityDescription] {
    get { parts.values.entities }
    set { change { $0.entities = newValue } }
  }

  /// The condition; nil for all records. A request of a shape puts it together when it is read.
  public var predicate: ResolvedPredicate? {
    get { shape == nil ? parts.values.condition : shape?.predicate(with: arguments) }
    set { change { $0.condition = newValue } }
  }

  /// Whether there is a condition.
  package var hasPredicate: Bool { parts.values.condition != nil }

  /// The order; records that are equal in it are ordered by their keys, ascending.
  public var sort: [ResolvedSort] {
    get { parts.values.sort }
    set { change { $0.sort = newValue } }
  }

  /// What is wanted of each record.
  public var result: Result {
    get { parts.values.result }
    set { change { $0.result = newValue } }
  }

  /// Makes it a request for the keys of the records.
  package mutating func askForKeys() {
    if let shape { take(shape.ofKeys, arguments) } else { result = .keys }
  }

  /// Makes it a request for the number of the records.
  package mutating func askForCount() {
    if let shape { return take(shape.ofCount, arguments) }
    change {
      $0.result = .count
      $0.sort = []
    }
  }

  /// Says that the request is of a shape, which it was resolved for.
  mutating func take(_ shape: FetchShape, _ arguments: [Value]) {
    self.shape = shape
    self.arguments = arguments
    parts = shape.parts
  }

  /// Changes what requests of a shape have in common: it is no request of the shape any more, and has a condition of
  /// its own.
  private mutating func change(_ body: (inout FetchParts.Values) -> Void) {
    var values = parts.values
    values.condition = predicate
    body(&values)
    shape = nil
    parts = FetchParts(values)
  }
}

/// The parts of a request that stay the same when it is handed on and asked again: one reference in the place of a
/// dozen, because each layer keeps a copy of the request.
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
  /// The columns that make a group: indices into `columns`, or expressions of their own; empty when nothing is grouped.
  public var groupBy: [ResolvedExpression]
  /// A condition on groups; aggregate functions stand in it as `function(.count, [...])` and so on.
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
    /// The key under which the value stands in the dictionary.
    public var name: String
    /// What is computed: over one row, or for an aggregate over the rows of a group, as `function(.sum, [path])`.
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
