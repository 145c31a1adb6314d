// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import Synchronization

/// The structure of a request without the values in its conditions, its limit and its offset.
///
/// Requests of one shape share one instance, so a store can cache what it derives from a shape (a statement, a
/// decoder) by the instance, and only binds ``ResolvedFetch/arguments`` for a repeated request with other values. A
/// request that is too irregular has no shape.
///
/// ```swift
/// if let shape = fetch.shape { return statements[ObjectIdentifier(shape)] }
/// ```
public final class FetchShape: Sendable {
  /// The common part of all requests of the shape; the values in its condition are placeholders.
  let parts: FetchParts
  /// The target type of the value with the same index.
  let types: [ExpressionType]
  /// The shapes with the same condition and another result.
  private let derived = Mutex(Derived())

  private struct Derived {
    var keys: FetchShape?
    var count: FetchShape?
  }

  /// Makes the shape of a resolved request.
  ///
  /// - Parameter types: The target types of the values in the condition.
  init(of fetch: ResolvedFetch, types: [ExpressionType]) {
    self.types = types
    let condition = fetch.predicate.map { condition in
      var arguments = types.map(\.sample)[...]
      return condition.replacingArguments(with: &arguments)
    }
    parts = FetchParts(
      entity: fetch.entity, entities: fetch.entities, condition: condition, sort: fetch.sort,
      result: fetch.result)
  }

  private init(_ other: FetchShape, _ result: ResolvedFetch.Result, sort: [ResolvedSort]) {
    types = other.types
    var values = other.parts.values
    values.sort = sort
    values.result = result
    parts = FetchParts(values)
  }

  /// Returns the condition of a request.
  ///
  /// - Parameter arguments: Its values, converted.
  func predicate(with arguments: [Value]) -> ResolvedPredicate? {
    var rest = arguments[...]
    return parts.values.condition?.replacingArguments(with: &rest)
  }

  /// The shape of a request for the keys of the same records.
  var ofKeys: FetchShape {
    derived.withLock { derived in
      if let known = derived.keys { return known }
      let made = FetchShape(self, .keys, sort: parts.values.sort)
      derived.keys = made
      return made
    }
  }

  /// The shape of a request for the number of the same records.
  var ofCount: FetchShape {
    derived.withLock { derived in
      if let known = derived.count { return known }
      let made = FetchShape(self, .count, sort: [])
      derived.count = made
      return made
    }
  }
}

extension ResolvedPath {
  /// The type of the value at the end.
  var valueType: ExpressionType {
    switch end {
    case .attribute(let attribute, _): ExpressionType(attribute.type)
    case .elements(let attribute, _): attribute.elementType.map { ExpressionType($0) } ?? .unknown
    case .object: .object
    case .entity: .entity
    }
  }
}

extension ExpressionType {
  /// A small value of the type.
  fileprivate var sample: Value {
    switch self {
    case .integer: .integer(0)
    case .double: .double(0)
    case .decimal: .decimal(0)
    case .boolean: .boolean(false)
    case .string: .string("")
    default: .null
    }
  }
}
