// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

// Conversion of values for requests of a shape, equal to the resolver's.
extension FetchShape {
  /// Makes the shape of a resolved request.
  ///
  /// - Parameter values: The values of the request's condition before they were resolved, from left to right.
  /// - Returns: nil when the resolved condition is not the given one with converted values.
  convenience init?(of fetch: ResolvedFetch, values: [Value]) {
    var types: [ExpressionType] = []
    if let condition = fetch.predicate {
      guard let places = condition.argumentPlaces, places.count == values.count else { return nil }
      for (place, value) in zip(places, values) {
        let type = place.path.valueType
        guard let argument = Self.argument(value, as: type),
          ExpressionType(argument) == ExpressionType(place.value), argument == place.value
        else { return nil }
        types.append(type)
      }
    } else if !values.isEmpty {
      return nil
    }
    self.init(of: fetch, types: types)
  }

  /// Returns a request of the shape.
  ///
  /// - Parameters:
  ///   - values: The values of its condition, from left to right.
  ///   - criteria: The criteria with its limit and offset.
  /// - Returns: nil when a value cannot be converted exactly, because such a request has another condition.
  func fetch(with values: [Value], _ criteria: borrowing FetchCriteria) -> ResolvedFetch? {
    var arguments = values
    for index in values.indices where !Self.isPlain(values[index], types[index]) {
      guard let argument = Self.argument(values[index], as: types[index]) else { return nil }
      arguments[index] = argument
    }
    let limit = criteria.fetchLimit
    return ResolvedFetch(
      self, arguments, limit: limit == 0 ? nil : limit, offset: criteria.fetchOffset)
  }

  /// Whether a value needs no conversion, like most values.
  private static func isPlain(_ value: Value, _ type: ExpressionType) -> Bool {
    switch (value, type) {
    case (.integer, .integer), (.boolean, .boolean), (.uuid, .uuid): true
    default: false
    }
  }

  /// Converts a value like the resolver; nil where the resolver does more than convert.
  private static func argument(_ value: Value, as type: ExpressionType) -> Value? {
    switch value {
    case .string(let text) where text.hasNUL: return nil
    case .double(let number) where number.isNaN: return nil
    case .decimal(let number) where number.isNaN: return nil
    case .objectID(let id): return type == .object ? .objectID(id.current) : nil
    default: break
    }
    guard case .value(let argument)? = TypedConstant(value, as: type) else { return nil }
    return argument
  }
}
