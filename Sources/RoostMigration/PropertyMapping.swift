// SPDX-License-Identifier: Apache-2.0

import RoostModel
package import RoostQuery

/// The mapping of a destination property in a migration.
///
/// ```swift
/// let mapping = PropertyMapping(name: "fullName", valueExpression: .source("name"))
/// ```
public final class PropertyMapping: @unchecked Sendable {
  // Sendable: written only while the mapping model is built, before a migration uses it.

  /// The name of the property in the destination entity.
  public var name: String?
  /// The value of the property; nil leaves an attribute at its default and a relationship empty.
  @_disfavoredOverload
  public var valueExpression: MappingExpression?
  /// Additional information for the program.
  public var userInfo: [AnyHashable: Any]?
  /// Whether a missing expression is derived from the property's name when the models are known.
  package var isAutomatic = false

  /// Makes a mapping whose property must be named.
  public init() {}

  /// Makes a mapping.
  ///
  /// - Parameters:
  ///   - name: The name of the property in the destination entity.
  ///   - valueExpression: The value of the property.
  public init(name: String, valueExpression: MappingExpression?) {
    self.name = name
    self.valueExpression = valueExpression
  }

  /// The value, if it is an expression that calls nothing.
  package var plainExpression: FetchExpression? {
    get {
      guard case .value(let expression, let calls)? = valueExpression?.content, calls.isEmpty else {
        return nil
      }
      return expression
    }
    set { valueExpression = newValue.map { MappingExpression($0) } }
  }

  /// Returns an independent copy of the mapping.
  public func copy() -> PropertyMapping {
    let copy = PropertyMapping()
    copy.name = name
    copy.valueExpression = valueExpression
    copy.userInfo = userInfo
    copy.isAutomatic = isAutomatic
    return copy
  }
}

extension PropertyMapping: CustomStringConvertible {
  /// The property and its expression.
  public var description: String {
    "\(name ?? "") = \(valueExpression.map(\.description) ?? "nothing")"
  }
}

extension PropertyMapping: KeyedValues {
  /// The keys that `$propertyMapping` has in expressions.
  static let keys: Set<String> = ["name", "userInfo"]

  package func plainValue(forKey key: String) throws -> Any? {
    switch key {
    case "name": return name
    case "userInfo": return userInfo ?? [:]
    default:
      throw PersistenceError(.unknownKey, "$propertyMapping has no key “\(key)”.", key: key)
    }
  }
}
