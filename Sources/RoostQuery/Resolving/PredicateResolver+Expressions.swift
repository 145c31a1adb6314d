// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

// Resolution of expressions.
extension PredicateResolver {
  /// An expression with its type.
  struct Typed {
    var expression: ResolvedExpression
    var type: ExpressionType
    /// The key path, when it is one.
    var key: String?
    /// The members of a list.
    var members: [Typed]?

    /// The constant, when it is one.
    var constant: Value? {
      if case .constant(let value) = expression { return value }
      return nil
    }

    /// The path, when it is one.
    var path: ResolvedPath? {
      if case .path(let path) = expression { return path }
      return nil
    }

    var isToMany: Bool { path?.isToMany ?? false }

    /// The elements, when it is an attribute that holds a collection of values.
    var elements: Typed? {
      guard let path, case .attribute(let attribute, let slot) = path.end,
        let type = attribute.elementType
      else { return nil }
      var elements = self
      var opened = path
      opened.end = .elements(attribute, slot)
      elements.expression = .path(opened)
      elements.type = ExpressionType(type)
      return elements
    }

    /// Whether it is the evaluated object, `SELF`.
    var isObjectItself: Bool {
      guard let path, path.root == .object, path.relationships.isEmpty, case .object = path.end
      else { return false }
      return true
    }
  }

  mutating func expression(_ expression: FetchExpression) throws -> Typed {
    switch expression {
    case .constant(let value): return try constant(value)
    case .nullObject: return try constant(.null)
    case .refused(let keyPath): throw keyPath.error
    case .evaluatedObject: return try typed(path([], from: .object))
    case .keyPath(let steps): return try keyPath(steps[...], from: .object)
    case .keyPathOf(let base, let steps): return try keyPath(steps, of: base)
    case .variable(let name): return try variable(name)
    case .list(let members): return try list(members)
    case .function(let function, let arguments): return try call(function, arguments)
    case .subquery: throw invalid("of a SUBQUERY only the number of members is known: say .@count")
    case .conditional(let condition, let first, let second):
      let condition = try predicate(condition)
      let (first, second) = (try self.expression(first), try self.expression(second))
      guard first.type.isComparable(with: second.type) else {
        throw invalid("the values of a TERNARY have different types")
      }
      let type = first.type == .unknown ? second.type : first.type
      if case .constant(let truth) = condition {
        return Typed(expression: (truth ? first : second).expression, type: type)
      }
      return Typed(
        expression: .conditional(condition, first.expression, second.expression), type: type)
    }
  }

  // MARK: Constants

  private func constant(_ value: Value) throws -> Typed {
    switch value {
    case .double(let number) where number.isNaN:
      throw mismatch("NaN is no value", key: nil)
    case .decimal(let number) where number.isNaN:
      throw mismatch("NaN is no value", key: nil)
    case .string(let text) where text.hasNUL:
      throw mismatch("a string cannot contain the character NUL", key: nil)
    case .list(let values):
      let members = try values.map(constant)
      return Typed(expression: .list(values), type: .unknown, members: members)
    case .objectID(let id):
      // An object that was saved meanwhile has a permanent ID.
      return Typed(expression: .constant(.objectID(id.current)), type: .object)
    default: return Typed(expression: .constant(value), type: ExpressionType(value))
    }
  }

  private mutating func list(_ expressions: [FetchExpression]) throws -> Typed {
    var members: [Typed] = []
    members.reserveCapacity(expressions.count)
    for expression in expressions { members.append(try self.expression(expression)) }
    return Typed(
      expression: .list(members.compactMap(\.constant)), type: .unknown, members: members)
  }

  private mutating func variable(_ name: String) throws -> Typed {
    if let number = members.lastIndex(where: { $0.name == name }) {
      return try typed(path([], from: .variable(number)))
    }
    if let column = columns[name] { return try expression(column) }
    throw invalid("the variable $\(name) has no value")
  }

  private func typed(_ path: TypedPath) -> Typed {
    Typed(expression: .path(path.path), type: path.type, key: path.text)
  }

  // MARK: Key paths

  private mutating func keyPath(_ steps: [String], of base: FetchExpression) throws -> Typed {
    switch base {
    case .evaluatedObject: return try keyPath(steps[...], from: .object)
    case .variable(let name):
      guard let number = members.lastIndex(where: { $0.name == name }) else {
        throw invalid("the variable $\(name) has no value")
      }
      return try keyPath(steps[...], from: .variable(number))
    case .subquery(let collection, let variable, let condition):
      guard steps == ["@count"] else {
        throw invalid("of a SUBQUERY only the number of members is known: say .@count")
      }
      return try subqueryCount(collection, variable, condition)
    case .constant(.objectID(let id)):
      guard let objectValue else {
        throw invalid("a key path of an object that stands in the query has to be looked up before")
      }
      return try expression(objectValue(id, steps))
    default: throw invalid("a key path begins with the object, a variable or a SUBQUERY")
    }
  }

  private mutating func keyPath(
    _ steps: ArraySlice<String>, from root: ResolvedPath.Root
  ) throws -> Typed {
    if let position = steps.firstIndex(where: { $0.hasPrefix("@") }) {
      return try aggregate(steps, operatorAt: position, from: root)
    }
    if steps.count == 1, root == .object, let column = columns[steps[steps.startIndex]],
      entity?.property(named: steps[steps.startIndex]) == nil
    {
      return try expression(column)
    }
    if steps.count > 1, steps.last == "length", let text = try lengthArgument(steps, root) {
      return text
    }
    return typed(try path(steps, from: root))
  }

  /// Resolves `title.length`, the length of a string, as in Core Data programs.
  private func lengthArgument(
    _ steps: ArraySlice<String>, _ root: ResolvedPath.Root
  ) throws -> Typed? {
    guard let text = try? path(steps.dropLast(), from: root), text.type == .string,
      !text.path.isToMany
    else { return nil }
    return Typed(expression: .function(.length, [.path(text.path)]), type: .integer)
  }

  // MARK: Many values

  /// Resolves a collection operator; `people.@sum.age` and `people.age.@sum` are the same.
  private func aggregate(
    _ steps: ArraySlice<String>, operatorAt position: Int, from root: ResolvedPath.Root
  ) throws -> Typed {
    guard let function = FetchFunction(collectionOperator: steps[position]) else {
      throw invalid("the collection operator \(steps[position]) is not supported")
    }
    let path = steps[..<position] + steps[(position + 1)...]
    guard !path.contains(where: { $0.hasPrefix("@") }) else {
      throw invalid("a key path has one collection operator at the most")
    }
    let found = typed(try self.path(path, from: root))
    let argument = opened(found)
    guard let path = argument.path else { throw invalid("a collection operator needs a key path") }
    let typed = TypedPath(path: path, type: argument.type, text: found.key ?? "")
    if aggregatesGroups, !typed.path.isToMany {
      return try groupAggregate(function, Typed(expression: .path(typed.path), type: typed.type))
    }
    return try aggregate(function, typed)
  }

  /// Returns the elements of a single collection for an aggregate function; every other expression stays as it is:
  /// behind a to-many relationship, the collections are the values.
  private func opened(_ argument: Typed) -> Typed {
    argument.isToMany ? argument : argument.elements ?? argument
  }

  private func aggregate(_ function: FetchFunction, _ typed: TypedPath) throws -> Typed {
    guard typed.path.isToMany else {
      throw invalid("\(function.rawValue) needs a to-many key path, “\(typed.text)” has one value")
    }
    let type = try resultType(of: function, over: typed.type, key: typed.text)
    return Typed(expression: .aggregate(function, typed.path), type: type)
  }

  private func groupAggregate(_ function: FetchFunction, _ argument: Typed) throws -> Typed {
    let type = try resultType(of: function, over: argument.type, key: argument.key ?? "")
    return Typed(expression: .function(function, [argument.expression]), type: type)
  }

  private func resultType(
    of function: FetchFunction, over type: ExpressionType, key: String
  ) throws -> ExpressionType {
    switch function {
    case .count: return .integer
    case .minimum, .maximum, .mode:
      guard type.isOrdered else { throw mismatch("\(type.name) has no order", key: key) }
      return type
    default:
      guard type.isNumeric || type == .unknown else {
        throw mismatch("\(function.rawValue) needs numbers, “\(key)” is \(type.name)", key: key)
      }
      if function == .sum { return type == .boolean ? .integer : type }
      return .double
    }
  }

  private mutating func subqueryCount(
    _ collection: FetchExpression, _ variable: String, _ condition: FetchPredicate
  ) throws -> Typed {
    let members = try expression(collection)
    guard let path = members.path, case .object = path.end else {
      throw invalid("a SUBQUERY looks into a relationship")
    }
    guard let entity = path.relationships.last?.destinationEntity ?? path.rootEntity else {
      throw invalid("a SUBQUERY looks into a relationship")
    }
    let number = self.members.count
    self.members.append((variable, entity))
    defer { self.members.removeLast() }
    let condition = try predicate(condition)
    return Typed(
      expression: .subqueryCount(path, variable: number, condition), type: .integer)
  }

  // MARK: Functions

  private mutating func call(
    _ function: FetchFunction, _ arguments: [FetchExpression]
  ) throws -> Typed {
    guard function.arity.contains(arguments.count) else {
      throw invalid("\(function.rawValue) does not take \(arguments.count) arguments")
    }
    switch function {
    case .now: return Typed(expression: .constant(.date(now)), type: .date)
    case .objectFrom: return try element(arguments[0], arguments[1])
    case .distanceToLocationFromLocation:
      throw invalid("\(function.rawValue) is not supported: no attribute is a location")
    default: break
    }
    var typed: [Typed] = []
    for argument in arguments { typed.append(try expression(argument)) }
    if function.isAggregate { return try aggregateCall(function, opened(typed[0])) }
    if let many = typed.first(where: \.isToMany) {
      throw invalid("“\(many.key ?? "")” has many values, \(function.rawValue) takes one")
    }
    let type = try resultType(of: function, typed)
    let constants = typed.compactMap(\.constant)
    if constants.count == typed.count, function != .random {
      return try constant(function.apply(constants))
    }
    return Typed(expression: .function(function, typed.map(\.expression)), type: type)
  }

  private func aggregateCall(_ function: FetchFunction, _ argument: Typed) throws -> Typed {
    if let path = argument.path, path.isToMany {
      return try aggregate(
        function, TypedPath(path: path, type: argument.type, text: argument.key ?? ""))
    }
    guard aggregatesGroups else {
      throw invalid("\(function.rawValue) needs a to-many key path here")
    }
    return try groupAggregate(function, argument)
  }

  /// Resolves an index of a collection: of `[SIZE]`, `[FIRST]` and `[n]` stores support only the first.
  private mutating func element(
    _ collection: FetchExpression, _ index: FetchExpression
  ) throws -> Typed {
    guard index == .constant(.string("SIZE")) else {
      throw invalid("the members of a relationship cannot be picked by their index in a query")
    }
    return try call(.count, [collection])
  }
}
