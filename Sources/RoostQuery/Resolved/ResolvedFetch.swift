// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// A request that is ready for a store: every name was found in the model, every object became an ID.
///
/// ```swift
/// let fetch = ResolvedFetch(entity: person, entities: [person], limit: 10)
/// let result = try store.fetch(fetch)
/// ```
public struct ResolvedFetch: Sendable {
  /// The entity that was asked for.
  public var entity: EntityDescription { didSet { dropShape() } }
  /// The concrete entities whose records are looked at.
  public var entities: [EntityDescription] { didSet { dropShape() } }
  /// How many results are wanted at the most; nil for all.
  public var limit: Int?
  /// How many results are left out at the beginning.
  public var offset: Int
  /// What the request has in common with those that differ in ``arguments``, ``limit`` and ``offset`` only; nil for a
  /// request that is not compiled, or was changed since.
  public private(set) var shape: FetchShape?
  /// The values of the condition from left to right, when there is a ``shape``.
  public private(set) var arguments: [Value] = []
  /// The condition of a request without a shape.
  private var condition: ResolvedPredicate?
  private var order: [ResolvedSort]
  private var wanted: Result

  /// Makes a request.
  public init(
    entity: EntityDescription, entities: [EntityDescription],
    predicate: ResolvedPredicate? = nil, sort: [ResolvedSort] = [], limit: Int? = nil,
    offset: Int = 0, result: Result = .rows
  ) {
    self.entity = entity
    self.entities = entities
    condition = predicate
    order = sort
    self.limit = limit
    self.offset = offset
    wanted = result
  }

  /// Makes a request of a shape.
  init(
    _ shape: FetchShape, _ arguments: [Value], of entity: EntityDescription,
    _ entities: [EntityDescription], sort: [ResolvedSort], result: Result
  ) {
    self.init(entity: entity, entities: entities, sort: sort, result: result)
    self.shape = shape
    self.arguments = arguments
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
  /// The condition; nil for all records. A request of a shape puts it together when it is read.
  public var predicate: ResolvedPredicate? {
    get { shape == nil ? condition : shape?.predicate(with: arguments) }
    set {
      shape = nil
      condition = newValue
    }
  }

  /// Whether there is a condition.
  package var hasPredicate: Bool { shape?.hasPredicate ?? (condition != nil) }

  /// The order; records that are equal in it are ordered by their keys, ascending.
  public var sort: [ResolvedSort] {
    get { order }
    set {
      dropShape()
      order = newValue
    }
  }

  /// What is wanted of each record.
  public var result: Result {
    get { wanted }
    set {
      dropShape()
      wanted = newValue
    }
  }

  /// Makes it a request for the keys of the records.
  package mutating func askForKeys() {
    shape = shape?.ofKeys
    wanted = .keys
  }

  /// Makes it a request for the number of the records.
  package mutating func askForCount() {
    shape = shape?.ofCount
    wanted = .count
    order = []
  }

  /// Says that the request is of a shape, which it was resolved for.
  mutating func setShape(_ shape: FetchShape, _ arguments: [Value]) {
    self.shape = shape
    self.arguments = arguments
    condition = nil
  }

  /// Keeps the condition by itself: the rest of the request is about to be another one than the shape's.
  private mutating func dropShape() {
    guard shape != nil else { return }
    condition = predicate
    shape = nil
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
