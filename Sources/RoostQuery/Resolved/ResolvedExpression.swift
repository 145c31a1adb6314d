// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// An expression whose names were found in the model, whose variables were replaced and whose constants have the type
/// of what they are compared with.
///
/// ```swift
/// if case .path(let path) = expression, path.isOwnAttribute { useIndex(of: path) }
/// ```
public indirect enum ResolvedExpression: Sendable {
  /// A value. An object is its ID; an ID of another store or a temporary one equals nothing in a store.
  case constant(Value)
  /// The values of `IN` or `BETWEEN`.
  case list([Value])
  /// A key path.
  case path(ResolvedPath)
  /// A collection operator over a to-many path: `people.@count`, `people.@sum.age`, `@avg`, `@min`, `@max`.
  case aggregate(FetchFunction, ResolvedPath)
  /// The number of members of a path that satisfy a condition: `SUBQUERY(path, $x, condition).@count`. `variable` is
  /// the number under which the condition's paths find the member.
  case subqueryCount(ResolvedPath, variable: Int, ResolvedPredicate)
  /// A function of one row's values.
  case function(FetchFunction, [ResolvedExpression])
  /// One of two expressions.
  case conditional(ResolvedPredicate, ResolvedExpression, ResolvedExpression)
  /// An entity and, when it stands on the right of `entity ==`, nothing else.
  case entity(EntityDescription)
  /// Several entities, for `entity IN`.
  case entities([EntityDescription])
}
