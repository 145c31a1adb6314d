// SPDX-License-Identifier: Apache-2.0

import RoostModel

// Compilation of comparisons, by the kind of the left side, and by whether the right side is constant.
extension PredicateCompiler {
  typealias Item = Source.Item
  /// A test of one member of a path; nil for a missing to-one destination.
  typealias MemberTest = (Item?, Scope) throws -> Bool

  mutating func test(_ comparison: ResolvedComparison) throws -> Test {
    if let flipped = flipped(comparison) { return try test(flipped) }
    switch (comparison.left, comparison.right) {
    case (.path(let path), .constant(let value)): return try test(path, .value(value), comparison)
    case (.path(let path), .list(let values)): return try test(path, .list(values), comparison)
    case (.path(let path), .entity(let entity)): return try test(path, [entity], comparison)
    case (.path(let path), .entities(let entities)): return try test(path, entities, comparison)
    case (.path(let left), .path(let right)):
      if case .object = left.end, case .object = right.end {
        return try identityTest(left, right, comparison)
      }
      return try computedTest(left, comparison)
    case (.path(let path), _): return try computedTest(path, comparison)
    case (.subqueryCount(let path, let variable, let predicate), .constant(.integer(let number))):
      return try countTest(path, variable, predicate, number, comparison)
    default: return try valueTest(comparison)
    }
  }

  /// Returns the comparison with exchanged sides, when only the right one is a path.
  private func flipped(_ comparison: ResolvedComparison) -> ResolvedComparison? {
    switch (comparison.left, comparison.right) {
    case (.constant, .path), (.entity, .path): break
    default: return nil
    }
    var result = comparison
    result.left = comparison.right
    result.right = comparison.left
    switch comparison.comparison {
    case .equalTo, .notEqualTo: return result
    case .lessThan: result.comparison = .greaterThan
    case .lessThanOrEqualTo: result.comparison = .greaterThanOrEqualTo
    case .greaterThan: result.comparison = .lessThan
    case .greaterThanOrEqualTo: result.comparison = .lessThanOrEqualTo
    default: return nil
    }
    return result
  }

  // MARK: A path and a constant

  private mutating func test(
    _ path: ResolvedPath, _ operand: ConstantOperand, _ comparison: ResolvedComparison
  ) throws -> Test {
    switch path.end {
    case .elements:
      let test = try ValueTestCompiler(
        comparison: comparison.comparison, options: comparison.options
      ).throwingTest(with: operand)
      return try quantified(elementsOf: path, comparison.modifier) { value, _ in try test(value) }
    case .attribute where comparison.comparison == .matches:
      return try patternTest(path, operand, comparison)
    case .attribute(_, let slot): return try slotTest(path, slot, operand, comparison)
    case .object: return try identityTest(path, operand, comparison)
    case .entity: throw Self.invalid("an entity is compared with entities only")
    }
  }

  /// Compiles `MATCHES`, whose test throws when it exceeds the step limit.
  private mutating func patternTest(
    _ path: ResolvedPath, _ operand: ConstantOperand, _ comparison: ResolvedComparison
  ) throws -> Test {
    let test = try ValueTestCompiler(
      comparison: comparison.comparison, options: comparison.options
    ).throwingTest(with: operand)
    let left = try memberValue(path)
    return try quantified(path, comparison.modifier) { item, scope in
      try test(try left(item, scope))
    }
  }

  private func slotTest(
    _ path: ResolvedPath, _ slot: RowSlot, _ operand: ConstantOperand,
    _ comparison: ResolvedComparison
  ) throws -> Test {
    let compiler = SlotTestCompiler(
      slot: slot, comparison: comparison.comparison, options: comparison.options)
    let rowTest = try compiler.test(with: operand)
    if path.relationships.isEmpty, path.root == .object, path.endGuard == nil {
      return .row(rowTest)
    }
    let values = ValueTestCompiler(
      comparison: comparison.comparison, options: comparison.options)
    let whenMissing = try values.test(with: operand)(.null)
    let entity = path.endGuard
    return try quantified(path, comparison.modifier) { item, scope in
      guard let item else { return whenMissing }
      if let entity, !scope.source.entity(of: item).isKindOf(entity: entity) { return whenMissing }
      return rowTest(try scope.source.base(of: item))
    }
  }

  private func test(
    _ path: ResolvedPath, _ entities: [EntityDescription], _ comparison: ResolvedComparison
  ) throws -> Test {
    guard case .entity = path.end else {
      throw Self.invalid("only the key 'entity' is compared with an entity")
    }
    let set = Set(entities.map(ObjectIdentifier.init))
    let isNegated = comparison.comparison == .notEqualTo
    guard isNegated || comparison.comparison == .equalTo || comparison.comparison == .in else {
      throw Self.invalid("entities are compared with ==, != and IN only")
    }
    return try quantified(path, comparison.modifier) { item, scope in
      guard let item else { return isNegated }
      return set.contains(ObjectIdentifier(scope.source.entity(of: item))) != isNegated
    }
  }

  // MARK: A path and a computed value

  /// Compiles a computed right side, which is evaluated once per item, however many members the path has.
  private mutating func computedTest(
    _ path: ResolvedPath, _ comparison: ResolvedComparison
  ) throws -> Test {
    let test = ValueTestCompiler(
      comparison: comparison.comparison, options: comparison.options
    ).test()
    guard path.isToMany else { return try valueTest(comparison) }
    let right = try value(comparison.right).general
    if case .elements = path.end {
      return try quantified(elementsOf: path, comparison.modifier) { value, scope in
        try test(value, try right(scope))
      }
    }
    let left = try memberValue(path)
    let compiled = try CompiledPath<Source>(path)
    switch comparison.modifier {
    case .any:
      return .scoped { scope in
        let right = try right(scope)
        return try compiled.contains(scope) { try test(try left($0, scope), right) }
      }
    case .all:
      return .scoped { scope in
        let right = try right(scope)
        return !(try compiled.contains(scope) { !(try test(try left($0, scope), right)) })
      }
    case .direct: throw Self.needsQuantifier()
    }
  }

  private mutating func valueTest(_ comparison: ResolvedComparison) throws -> Test {
    let compiler = ValueTestCompiler(
      comparison: comparison.comparison, options: comparison.options)
    let left = try value(comparison.left)
    let right = try value(comparison.right)
    if case .constant(let constant) = right {
      let operand: ConstantOperand =
        if case .list(let values) = constant { .list(values) } else { .value(constant) }
      if comparison.comparison == .matches {
        let test = try compiler.throwingTest(with: operand)
        let left = left.general
        return .scoped { try test(try left($0)) }
      }
      let test = try compiler.test(with: operand)
      switch left {
      case .constant(let left): return .constant(test(left))
      case .row(let left): return .row { test(left($0)) }
      case .scoped(let left): return .scoped { test(try left($0)) }
      }
    }
    let test = compiler.test()
    let (first, second) = (left.general, right.general)
    return .scoped { try test(try first($0), try second($0)) }
  }

  // MARK: Subqueries

  /// Compares the number of members that satisfy a condition; counting stops one above the compared number.
  private mutating func countTest(
    _ path: ResolvedPath, _ variable: Int, _ predicate: ResolvedPredicate, _ number: Int64,
    _ comparison: ResolvedComparison
  ) throws -> Test {
    let limit = number < 0 ? 1 : number == .max ? .max : number + 1
    let count = try subqueryCount(path, variable, predicate, limit: limit)
    let operation = comparison.comparison
    return .scoped { operation.accepts(ValueComparison.order(try count($0), number)) }
  }

  // MARK: Quantifiers

  /// Applies a test to the one value or to the members of a path.
  func quantified(
    _ path: ResolvedPath, _ modifier: ComparisonPredicate.Modifier, _ test: @escaping MemberTest
  ) throws -> Test {
    let compiled = try CompiledPath<Source>(path)
    guard path.isToMany else {
      return .scoped { try test(try compiled.destination($0), $0) }
    }
    switch modifier {
    case .any: return .scoped { scope in try compiled.contains(scope) { try test($0, scope) } }
    case .all:
      return .scoped { scope in !(try compiled.contains(scope) { !(try test($0, scope)) }) }
    case .direct: throw Self.needsQuantifier()
    }
  }

  static func needsQuantifier() -> PersistenceError {
    invalid("a to-many key path has many values: say ANY or ALL")
  }
}
