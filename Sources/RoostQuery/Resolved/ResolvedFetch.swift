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
  public var entity: EntityDescription
  /// The concrete entities whose records are looked at.
  public var entities: [EntityDescription]
  /// The condition; nil for all records.
  public var predicate: ResolvedPredicate?
  /// The order; records that are equal in it are ordered by their keys, ascending.
  public var sort: [ResolvedSort]
  /// How many results are wanted at the most; nil for all.
  public var limit: Int?
  /// How many results are left out at the beginning.
  public var offset: Int
  /// What is wanted of each record.
  public var result: Result
  /// Rows that the asker has already, for requests of whole rows.
  package var knownRows: (any KnownRows)?
  /// Takes the keys of a request for keys, where the store can hand over one after the other; its answer has none then.
  package var keyCollector: KeyCollector?

  /// Makes a request.
  public init(
    entity: EntityDescription, entities: [EntityDescription],
    predicate: ResolvedPredicate? = nil, sort: [ResolvedSort] = [], limit: Int? = nil,
    offset: Int = 0, result: Result = .rows
  ) {
    self.entity = entity
    self.entities = entities
    self.predicate = predicate
    self.sort = sort
    self.limit = limit
    self.offset = offset
    self.result = result
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
