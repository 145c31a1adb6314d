// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// A struct that is a composite attribute, and provides names for its key paths, as typed queries require. Every struct
/// with `@Composite` conforms to it.
///
/// ```swift
/// try Address._elementPath(for: \Address.city)  // ["city"]
/// ```
public protocol CompositeNaming: Sendable {
  /// The names of the elements along a key path from this struct.
  ///
  /// - Throws: A ``RefusedKeyPath`` for a key path that reads anything except elements.
  static func _elementPath(for keyPath: AnyKeyPath) throws(RefusedKeyPath) -> [String]

  /// The names that lead to each element that is no composite itself, in the order of their declaration.
  static var _elementPaths: [[String]] { get }

  /// The values of these elements, in the same order.
  var _elementValues: [Value] { get }
}
