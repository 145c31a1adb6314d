// SPDX-License-Identifier: Apache-2.0

/// A class whose key paths have names: what typed queries are made of. Every managed object class is one.
///
/// Swift does not tell the name of the property that a key path reads, so the class says it.
///
/// ```swift
/// Person.propertyPath(for: \Person.department?.name)  // ["department", "name"]
/// ```
public protocol KeyPathNaming {
  /// The names of the properties along a key path from this class; nil when it reads something else than properties.
  static func propertyPath(for keyPath: AnyKeyPath) -> [String]?
}

extension KeyPathNaming {
  /// The names along a key path; a key path without a name is a mistake in the program.
  package static func requiredPath(for keyPath: AnyKeyPath) -> [String] {
    guard let path = propertyPath(for: keyPath), !path.isEmpty else {
      preconditionFailure("The key path \(keyPath) names no property of \(Self.self).")
    }
    return path
  }
}
