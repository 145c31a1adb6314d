// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

/// An object with values by key, which key paths can traverse outside of stores.
package protocol KeyedValues {
  /// Returns the value of a key.
  func plainValue(forKey key: String) throws -> Any?
}

extension FetchPredicate {
  /// Whether a value in memory satisfies the condition: a string, number or date as `SELF`, a dictionary by its keys,
  /// an array or set by the keys of its members.
  ///
  /// Key paths traverse dictionaries, arrays, sets and objects alike; a missing key of a dictionary is nil, and
  /// values of incomparable types are unequal and unordered.
  ///
  /// ```swift
  /// let condition = try FetchPredicate("ANY pets.name BEGINSWITH 'R' AND age > 3")
  /// try condition.evaluate(withValue: ["age": 4, "pets": [["name": "Rex"]]])  // true
  /// ```
  /// - Parameters:
  ///   - value: The value.
  ///   - variables: The values of the condition's variables.
  /// - Throws: ``PersistenceError`` with code `invalidRequest` for a variable without a value, `unknownKey` for a key
  ///   of a value without keys, `invalidPredicate` for an invalid pattern, `limitExceeded` for a condition or a value
  ///   that is nested too deep and for a pattern that takes too many steps.
  /// - Complexity: No query. O(*n*) in the size of the condition and of the traversed collections.
  public func evaluate(withValue value: Any?, variables: [String: Any?] = [:]) throws -> Bool {
    guard QueryShape(of: self).isAllowed else {
      throw PersistenceError(
        .limitExceeded, "a condition is nested more than \(QueryLimits.maximumDepth) deep")
    }
    var evaluator = PlainEvaluator(object: try PlainValue(value))
    for (name, value) in variables { evaluator.variables[name] = try PlainValue(value) }
    return try evaluator.isTrue(self)
  }
}

/// A value outside of stores.
enum PlainValue {
  case value(Value)
  case list([PlainValue], isOrdered: Bool)
  /// An object with keys.
  case object(Any)

  /// The maximum nesting depth of collections.
  private static let maximumDepth = 64

  /// Makes a value from any object.
  ///
  /// - Throws: `limitExceeded` when it is nested too deep.
  init(_ any: Any?, depth: Int = 0) throws {
    guard depth <= Self.maximumDepth else {
      throw PersistenceError(
        .limitExceeded, "a value is nested more than \(Self.maximumDepth) collections deep")
    }
    guard let some = PredicateArgument.unwrapped(any) else {
      self = .null
      return
    }
    if let plain = some as? PlainValue {
      self = plain
    } else if let list = some as? Value {
      self = try PlainValue(list, depth: depth)
    } else if let keyed = some as? any KeyedValues {
      self = .object(keyed)
    } else if type(of: some) is AnyClass {
      self = try PlainValue(reference: some, depth: depth)
    } else if let dictionary = some as? [AnyHashable: Any] {
      self = .object(dictionary)
    } else if !PredicateArgument.isList(some), let scalar = PredicateArgument.scalar(some) {
      self = try PlainValue(scalar, depth: depth)
    } else if let members = some as? any Sequence {
      self = try PlainValue(members, isOrdered: !(some is any SetAlgebra), depth: depth)
    } else {
      self = .object(some)
    }
  }

  /// Makes a value from a class instance. Only class instances are cast to Foundation classes: for a Swift
  /// collection, the cast would bridge all its contents recursively.
  private init(reference some: Any, depth: Int) throws {
    if some is NSNull {
      self = .null
    } else if let dictionary = some as? NSDictionary {
      self = .object(dictionary)
    } else if let scalar = PredicateArgument.scalar(some) {
      self = try PlainValue(scalar, depth: depth)
    } else if let members = some as? any Sequence {
      self = try PlainValue(members, isOrdered: !(some is NSSet), depth: depth)
    } else {
      self = .object(some)
    }
  }

  private init(_ members: some Sequence, isOrdered: Bool, depth: Int) throws {
    self = .list(try members.map { try PlainValue($0, depth: depth + 1) }, isOrdered: isOrdered)
  }

  private init(_ value: Value, depth: Int) throws {
    switch value {
    case .list(let values):
      self = .list(try values.map { try PlainValue($0, depth: depth + 1) }, isOrdered: true)
    case .composite(let elements): self = .object(elements as [AnyHashable: Any])
    case .boolean(let truth): self = .value(.integer(truth ? 1 : 0))
    default: self = .value(value)
    }
  }

  static var null: PlainValue { .value(.null) }

  var isNull: Bool {
    if case .value(.null) = self { return true }
    return false
  }

  /// The members of a collection, flattened; a single value is its own member.
  var flattened: [PlainValue] {
    switch self {
    case .list(let members, _): members.flatMap(\.flattened)
    case .value(.null): []
    default: [self]
    }
  }

  /// The values of the members, for aggregate functions.
  var values: [Value] {
    flattened.compactMap { if case .value(let value) = $0 { value } else { nil } }
  }
}

/// Evaluates conditions on values in memory. It recurses to the depth of the condition, which was checked.
struct PlainEvaluator {
  let object: PlainValue
  var variables: [String: PlainValue] = [:]
  private let now = Date()

  init(object: PlainValue) {
    self.object = object
  }

  func isTrue(_ predicate: FetchPredicate) throws -> Bool {
    switch predicate {
    case .constant(let truth): truth
    case .and(let operands): try operands.allSatisfy { try isTrue($0) }
    case .or(let operands): try operands.contains { try isTrue($0) }
    case .not(let operand): try !isTrue(operand)
    case .comparison(let comparison): try isTrue(comparison)
    }
  }

  private func isTrue(_ comparison: ComparisonPredicate) throws -> Bool {
    let test = PlainComparison(comparison: comparison.comparison, options: comparison.options)
    let left = try value(of: comparison.left)
    let right = try value(of: comparison.right)
    return switch comparison.modifier {
    case .direct: try test.holds(left, right)
    case .any: try left.flattened.contains { try test.holds($0, right) }
    case .all: try left.flattened.allSatisfy { try test.holds($0, right) }
    }
  }

  // MARK: Operands

  func value(of expression: FetchExpression) throws -> PlainValue {
    switch expression {
    case .constant(let value): return try PlainValue(value)
    case .nullObject: return .null
    case .refused(let keyPath): throw keyPath.error
    case .evaluatedObject: return object
    case .keyPath(let steps): return try follow(steps[...], from: object)
    case .keyPathOf(let base, let steps): return try follow(steps[...], from: value(of: base))
    case .variable(let name):
      guard let value = variables[name] else {
        throw PersistenceError(.invalidRequest, "the variable $\(name) has no value", key: name)
      }
      return value
    case .list(let members): return .list(try members.map { try value(of: $0) }, isOrdered: true)
    case .function(let function, let arguments): return try call(function, arguments)
    case .conditional(let condition, let first, let second):
      return try value(of: isTrue(condition) ? first : second)
    case .subquery(let collection, let name, let condition):
      guard case .list(let members, let isOrdered) = try value(of: collection) else {
        return .list([], isOrdered: true)
      }
      var inner = self
      let found = try members.filter { member in
        inner.variables[name] = member
        return try inner.isTrue(condition)
      }
      return .list(found, isOrdered: isOrdered)
    }
  }

  private func call(
    _ function: FetchFunction, _ arguments: [FetchExpression]
  ) throws -> PlainValue {
    guard function.arity.contains(arguments.count) else {
      throw PersistenceError(
        .invalidRequest, "\(function.rawValue) does not take \(arguments.count) arguments")
    }
    if function == .now { return .value(.date(now)) }
    let operands = try arguments.map { try value(of: $0) }
    if function.isAggregate { return .value(Self.aggregate(function, operands[0])) }
    if function == .objectFrom { return Self.element(of: operands[0], at: operands[1]) }
    let values = operands.map { operand -> Value in
      if case .value(let value) = operand { value } else { .null }
    }
    return .value(function.apply(values))
  }

  private static func aggregate(_ function: FetchFunction, _ operand: PlainValue) -> Value {
    if function == .count {
      if case .list(let members, _) = operand { return .integer(Int64(members.count)) }
      return .integer(operand.isNull ? 0 : 1)
    }
    var aggregate = Aggregate(function)
    for value in operand.values { aggregate.add(value) }
    return (try? aggregate.result()) ?? .null
  }

  private static func element(of collection: PlainValue, at place: PlainValue) -> PlainValue {
    if case .object(let object) = collection, case .value(.string(let key)) = place {
      return (try? PlainEvaluator.member(key, of: object)) ?? .null
    }
    guard case .list(let members, _) = collection else { return .null }
    return switch place {
    case .value(.string("FIRST")): members.first ?? .null
    case .value(.string("LAST")): members.last ?? .null
    case .value(.string("SIZE")): .value(.integer(Int64(members.count)))
    case .value(.integer(let index)) where index >= 0 && index < members.count:
      members[Int(index)]
    default: .null
    }
  }

  // MARK: Key paths

  private func follow(
    _ steps: ArraySlice<String>, from start: PlainValue
  ) throws -> PlainValue {
    var value = start
    var steps = steps
    while let step = steps.popFirst() {
      if step.hasPrefix("@"), case .list = value {
        if Self.unions.contains(step) {
          // A further operator applies to the united collection.
          let rest = steps.prefix { !$0.hasPrefix("@") }
          steps = steps.dropFirst(rest.count)
          value = try Self.union(step, of: follow(rest, from: value))
          continue
        }
        return try Self.apply(step, to: value) { try follow(steps, from: $0) }
      }
      value = try Self.next(step, of: value)
    }
    return value
  }

  /// Applies a collection operator to a key path of the members.
  private static func apply(
    _ name: String, to members: PlainValue, _ rest: (PlainValue) throws -> PlainValue
  ) throws -> PlainValue {
    guard let function = FetchFunction(collectionOperator: name) else {
      throw PersistenceError(.invalidPredicate, "the collection operator \(name) is not supported")
    }
    if function == .count { return .value(aggregate(.count, members)) }
    return .value(aggregate(function, try rest(members)))
  }

  /// The union operators.
  private static let unions: Set = [
    "@unionOfObjects", "@unionOfArrays", "@unionOfSets", "@distinctUnionOfObjects",
    "@distinctUnionOfArrays", "@distinctUnionOfSets",
  ]

  private static func union(_ name: String, of members: PlainValue) throws -> PlainValue {
    guard name.hasPrefix("@distinct") else { return .list(members.flattened, isOrdered: true) }
    let equality = PlainComparison(comparison: .equalTo, options: [])
    var found: [PlainValue] = []
    for member in members.flattened {
      if try !found.contains(where: { try equality.holds($0, member) }) { found.append(member) }
    }
    return .list(found, isOrdered: false)
  }

  private static func next(_ step: String, of value: PlainValue) throws -> PlainValue {
    switch value {
    case .list(let members, let isOrdered):
      return .list(try members.map { try next(step, of: $0) }, isOrdered: isOrdered)
    case .object(let object): return try member(step, of: object)
    case .value(.null): return .null
    case .value(.string(let text)) where step == "length":
      return .value(.integer(Int64(text.utf16.count)))
    case .value(.data(let data)) where step == "length": return .value(.integer(Int64(data.count)))
    case .value(let other):
      if step.lowercased() == "self" { return value }
      throw PersistenceError(
        .unknownKey, "\(ExpressionType(other).name) has no key “\(step)”.", key: step)
    }
  }

  private static func member(_ key: String, of object: Any) throws -> PlainValue {
    switch object {
    case let keyed as any KeyedValues: return try PlainValue(try keyed.plainValue(forKey: key))
    case let dictionary as [AnyHashable: Any]:
      if key == "@count" { return .value(.integer(Int64(dictionary.count))) }
      return try PlainValue(dictionary[key])
    case let dictionary as NSDictionary:
      if key == "@count" { return .value(.integer(Int64(dictionary.count))) }
      return try PlainValue(dictionary[key])
    default:
      if key.lowercased() == "self" { return .object(object) }
      throw PersistenceError(
        .unknownKey, "An instance of \(type(of: object)) has no key “\(key)”.", key: key)
    }
  }
}
