// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The computation of a grouped column from the group's aggregates and its first row.
enum GroupColumn {
  case constant(Value)
  /// The result of the aggregate with this number.
  case aggregate(Int)
  /// A value of the first row.
  case row((UnsafeMutableRawPointer) -> Value)
  /// The ID of the destination of a to-one relationship of the first row.
  case destination(RelationshipDescription)

  /// - Parameters:
  ///   - expression: The column's expression.
  ///   - compiled: The compiled expression.
  ///   - lastAggregate: The index of the last compiled aggregate.
  /// - Returns: nil when the column needs other data.
  init?<Source: EvaluationSource>(
    _ expression: ResolvedExpression, _ compiled: CompiledValue<Source>, lastAggregate: Int
  ) {
    switch (expression, compiled) {
    case (_, .constant(let value)): self = .constant(value)
    case (_, .row(let value)): self = .row(value)
    case (.function(let function, _), _) where function.isAggregate && lastAggregate >= 0:
      self = .aggregate(lastAggregate)
    case (.path(let path), _):
      guard path.root == .object, case .object = path.end, path.relationships.count == 1,
        !path.relationships[0].isToMany, path.guardEntity(ofStep: 0) == nil
      else { return nil }
      self = .destination(path.relationships[0])
    default: return nil
    }
  }
}
