// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import Synchronization

/// What a request asks for, apart from the values in its conditions, its limit and its offset.
///
/// Requests of one shape share one instance, so a store can keep what it makes of a shape (a statement, a decoder)
/// under the instance, and only binds ``ResolvedFetch/arguments`` when a request comes again with other values. A
/// request that is too irregular for that has no shape.
///
/// ```swift
/// if let shape = fetch.shape { return statements[ObjectIdentifier(shape)] }
/// ```
public final class FetchShape: Sendable {
  /// What all requests of the shape have in common; the condition has other values than theirs.
  let parts: FetchParts
  /// The type to which the value with the same index is converted.
  let types: [ExpressionType]
  /// The shapes of the same condition with another result.
  private let derived = Mutex(Derived())

  private struct Derived {
    var keys: FetchShape?
    var count: FetchShape?
  }

  /// Makes the shape of a resolved request.
  ///
  /// - Parameter types: The types to which the values of the condition are converted.
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

  /// The condition of a request.
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
  /// The type of what is at the end.
  var valueType: ExpressionType {
    switch end {
    case .attribute(let attribute, _): ExpressionType(attribute.type)
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
