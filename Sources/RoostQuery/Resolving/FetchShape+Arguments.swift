// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

// The values of requests of a shape, as the resolver converts them.
extension FetchShape {
  /// Makes the shape of a request that was resolved.
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
  /// - Parameter values: The values of its condition, from left to right.
  /// - Returns: nil when a value cannot be converted exactly: such a request has another condition.
  func fetch(with values: [Value]) -> ResolvedFetch? {
    var arguments: [Value] = []
    arguments.reserveCapacity(values.count)
    for (value, type) in zip(values, types) {
      guard let argument = Self.argument(value, as: type) else { return nil }
      arguments.append(argument)
    }
    return ResolvedFetch(self, arguments, of: entity, entities, sort: sort, result: result)
  }

  /// A value as the resolver would convert it; nil where it does more than convert.
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
