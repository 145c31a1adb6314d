// SPDX-License-Identifier: Apache-2.0

/// A class that provides names for its key paths, as typed queries require. Every managed object class conforms to
/// it.
///
/// Swift has no API for the name of a key path's property, so the class provides it.
///
/// ```swift
/// Person.propertyPath(for: \Person.department?.name)  // ["department", "name"]
/// ```
public protocol KeyPathNaming {
  /// The names of the properties along a key path from this class; nil when it reads anything except stored
  /// properties.
  static func propertyPath(for keyPath: AnyKeyPath) -> [String]?

  /// The names of the properties along a key path from this class.
  ///
  /// - Throws: A ``RefusedKeyPath`` for a key path that reads anything except stored properties, such as a computed
  ///   property.
  static func storedPath(for keyPath: AnyKeyPath) throws(RefusedKeyPath) -> [String]
}

extension KeyPathNaming {
  /// Returns the names that ``propertyPath(for:)`` finds.
  public static func storedPath(for keyPath: AnyKeyPath) throws(RefusedKeyPath) -> [String] {
    guard let path = propertyPath(for: keyPath), !path.isEmpty else {
      throw RefusedKeyPath(keyPath, readProperties: [])
    }
    return path
  }

  /// The expression for a key path from an object, after some first steps; a key path that no store can evaluate is
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
