// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// An expression with names resolved in the model, variables replaced, and constants converted to the type they are
/// compared with.
///
/// ```swift
/// if case .path(let path) = expression, path.isOwnAttribute { useIndex(of: path) }
/// ```
public indirect enum ResolvedExpression: Sendable {
  /// A value. An object is represented by its ID; an ID of another store or a temporary ID equals nothing in a store.
  case constant(Value)
  /// The values of `IN` or `BETWEEN`.
  case list([Value])
  /// A key path.
  case path(ResolvedPath)
  /// A collection operator over a to-many path: `people.@count`, `people.@sum.age`, `@avg`, `@min`, `@max`.
  case aggregate(FetchFunction, ResolvedPath)
  /// The number of members of a path that satisfy a condition: `SUBQUERY(path, $x, condition).@count`. `variable` is
  /// the number of the member's variable in the condition's paths.
  case subqueryCount(ResolvedPath, variable: Int, ResolvedPredicate)
  /// A scalar function over one row's values.
  case function(FetchFunction, [ResolvedExpression])
  /// One of two expressions.
  case conditional(ResolvedPredicate, ResolvedExpression, ResolvedExpression)
  /// An entity, only on the right side of `entity ==`.
  case entity(EntityDescription)
  /// Several entities, for `entity IN`.
  case entities([EntityDescription])
}
