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

  /// The names of the properties along a key path from this class.
  ///
  /// - Throws: What is wrong with a key path that reads something else than properties, as one of a computed property.
  static func storedPath(for keyPath: AnyKeyPath) throws(RefusedKeyPath) -> [String]
}

extension KeyPathNaming {
  /// The names that ``propertyPath(for:)`` finds.
  public static func storedPath(for keyPath: AnyKeyPath) throws(RefusedKeyPath) -> [String] {
    guard let path = propertyPath(for: keyPath), !path.isEmpty else {
      throw RefusedKeyPath(keyPath, readProperties: [])
    }
    return path
  }

  /// The expression for a key path from an object, after some first steps; a key path that no store can answer is
  /// refused when the request is executed.
  static func expression(
    for keyPath: AnyKeyPath, from object: FetchExpression, after steps: [String] = []
  ) -> FetchExpression {
    do {
      let path = try storedPath(for: keyPath)
      return object.appending(steps.isEmpty ? path : steps + path).expression
    } catch {
      return .refused(error)
    }
  }
}
