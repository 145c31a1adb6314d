// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// A column of a fetch: the name of a property, a key path along to-one relationships, a property's description, or
/// an ``ExpressionDescription``.
///
/// ```swift
/// request.propertiesToFetch = ["name", "department.name", oldest]
/// ```
public protocol FetchableProperty: Sendable {
  /// The key of the value in the dictionary.
  var fetchedName: String { get }
}

extension String: FetchableProperty {
  /// The key path itself.
  public var fetchedName: String { self }
}

extension PropertyDescription: FetchableProperty {
  /// The name of the property or expression.
  public final var fetchedName: String { name }
}
