// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

// Compilation of expressions.
extension PredicateCompiler {
  mutating func value(_ expression: ResolvedExpression) throws -> CompiledValue<Source> {
    switch expression {
    case .constant(let value): return .constant(value)
    case .list(let values): return .constant(.list(values))
    case .path(let path): return try value(path)
    case .aggregate(let function, let path): return .scoped(try aggregate(function, path))
    case .subqueryCount(let path, let variable, let predicate):
      let count = try subqueryCount(path, variable, predicate, limit: .max)
      return .scoped { .integer(try count($0)) }
    case .function(let function, let arguments): return try value(function, arguments)
    case .conditional(let condition, let first, let second):
      let test = try test(condition).general
      let (first, second) = (try value(first).general, try value(second).general)
      return .scoped { try test($0) ? try first($0) : try second($0) }
    case .entity(let entity): return .constant(entity.name.map(Value.string) ?? .null)
    case .entities(let entities):
      return .constant(.list(entities.compactMap(\.name).map(Value.string)))
    }
  }

  // MARK: Paths

  private func value(_ path: ResolvedPath) throws -> CompiledValue<Source> {
    guard !path.isToMany else { throw Self.needsQuantifier() }
    switch path.end {
    case .attribute(_, let slot)
    where path.relationships.isEmpty && path.root == .object && path.endGuard == nil:
      return .row { SlotReader.value($0, slot) }
    case .object: return .scoped(try identityValue(path))
    case .elements: throw Self.needsQuantifier()
    case .attribute, .entity:
      let compiled = try CompiledPath<Source>(path)
      let end = try memberValue(path)
      return .scoped { try end(try compiled.destination($0), $0) }
    }
  }

  /// Returns the value at the end of a path, for one of its members.
  func memberValue(_ path: ResolvedPath) throws -> (Item?, Scope) throws -> Value {
    let entity = path.endGuard
    switch path.end {
    case .attribute(_, let slot):
      return { item, scope in
        guard let item else { return .null }
        if let entity, !scope.source.entity(of: item).isKindOf(entity: entity) { return .null }
        return SlotReader.value(try scope.source.base(of: item), slot)
      }
    case .object:
      return { item, scope in
        guard let item else { return .null }
        let id = scope.source.objectID(for: scope.source.identity(of: item))
        return id.map(Value.objectID) ?? .null
      }
    case .entity:
      return { item, scope in
        item.flatMap { scope.source.entity(of: $0).name }.map(Value.string) ?? .null
      }
    case .elements: throw Self.needsQuantifier()
    }
  }

  // MARK: Members

  private func aggregate(
    _ function: FetchFunction, _ path: ResolvedPath
  ) throws -> (Scope) throws -> Value {
    guard function.isAggregate else {
      throw Self.invalid("\(function.rawValue) is no function of many values")
    }
    let compiled = try CompiledPath<Source>(path)
    if function == .count, case .object = path.end {
      return { scope in
        var count: Int64 = 0
        _ = try compiled.contains(scope) { item in
          if item != nil { count += 1 }
          return false
        }
        return .integer(count)
      }
    }
    if case .elements = path.end {
      let contains = try elements(of: path)
      return { scope in
        var aggregate = Aggregate(function)
        _ = try contains(scope) { value in
          aggregate.add(value)
          return false
        }
        return try aggregate.result()
      }
    }
    let value = try memberValue(path)
    return { scope in
      var aggregate = Aggregate(function)
      _ = try compiled.contains(scope) { item in
        aggregate.add(try value(item, scope))
        return false
      }
      return try aggregate.result()
    }
  }

  /// Returns the number of members that satisfy a condition, counted up to a limit.
  mutating func subqueryCount(
    _ path: ResolvedPath, _ variable: Int, _ predicate: ResolvedPredicate, limit: Int64
  ) throws -> (Scope) throws -> Int64 {
    bind(variable: variable)
    let compiled = try CompiledPath<Source>(path)
    let test = try test(predicate).general
    return { scope in
      var count: Int64 = 0
      _ = try compiled.contains(scope) { item in
        guard let item else { return false }
        scope.variables[variable] = item
        if try test(scope) { count += 1 }
        return count >= limit
      }
      return count
    }
  }

  // MARK: Functions

  private mutating func value(
    _ function: FetchFunction, _ arguments: [ResolvedExpression]
  ) throws -> CompiledValue<Source> {
    switch function {
    case _ where function.isAggregate: return try groupAggregate(function, arguments)
    case .objectFrom, .distanceToLocationFromLocation:
      throw Self.invalid("\(function.rawValue) cannot be evaluated")
    case .now: return .constant(.date(Date()))
    case .random: return .scoped { _ in function.apply([]) }
    default: break
    }
    let compiled = try arguments.map { try value($0) }
    switch compiled.count {
    case 1: return Self.value(function, compiled[0])
    case 2: return Self.value(function, compiled[0], compiled[1])
    default: throw Self.invalid("\(function.rawValue) has \(compiled.count) arguments")
    }
  }

  /// Registers an aggregate over the rows of a group, whose result is in the scope.
  private mutating func groupAggregate(
    _ function: FetchFunction, _ arguments: [ResolvedExpression]
  ) throws -> CompiledValue<Source> {
    guard let known = groupAggregates, arguments.count == 1 else {
      throw Self.invalid("\(function.rawValue) needs a to-many key path here")
    }
    // The values are the rows of the group: a nested aggregate has none.
    groupAggregates = nil
    let argument = try GroupAggregate(function, try value(arguments[0]), of: arguments[0])
    groupAggregates = known + [argument]
    let index = known.count
    return .scoped { $0.aggregates[index] }
  }

  private static func value(
    _ function: FetchFunction, _ argument: CompiledValue<Source>
  ) -> CompiledValue<Source> {
    switch argument {
    case .constant(let value): .constant(function.apply(value))
    case .row(let value): .row { function.apply(value($0)) }
    case .scoped(let value): .scoped { function.apply(try value($0)) }
    }
  }

  private static func value(
    _ function: FetchFunction, _ left: CompiledValue<Source>, _ right: CompiledValue<Source>
  ) -> CompiledValue<Source> {
    switch (left, right) {
    case (.constant(let left), .constant(let right)): return .constant(function.apply(left, right))
    case (.row(let left), .constant(let right)): return .row { function.apply(left($0), right) }
    case (.constant(let left), .row(let right)): return .row { function.apply(left, right($0)) }
    case (.row(let left), .row(let right)): return .row { function.apply(left($0), right($0)) }
    default:
      let (left, right) = (left.general, right.general)
      return .scoped { function.apply(try left($0), try right($0)) }
    }
  }
}
