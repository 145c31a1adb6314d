// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// Compiles resolved conditions and expressions to closures. It recurses to the depth of the tree, which the resolver
/// limits.
struct PredicateCompiler<Source: EvaluationSource> {
  typealias Scope = EvaluationScope<Source>
  typealias Test = CompiledTest<Source>

  let source: Source
  /// The number of variables in the scope.
  private(set) var variableCount = 0
  /// The compiled aggregates over a group's rows; nil without groups.
  var groupAggregates: [GroupAggregate<Source>]?
  private var depth = 0

  /// - Parameter aggregatesGroups: Whether functions of many values aggregate the rows of a group.
  init(source: Source, aggregatesGroups: Bool = false) {
    self.source = source
    groupAggregates = aggregatesGroups ? [] : nil
  }

  mutating func test(_ predicate: ResolvedPredicate) throws -> Test {
    depth += 1
    defer { depth -= 1 }
    guard depth <= QueryLimits.maximumDepth + 1 else {
      throw PersistenceError(
        .limitExceeded, "a condition is nested more than \(QueryLimits.maximumDepth) deep")
    }
    switch predicate {
    case .constant(let truth): return .constant(truth)
    case .comparison(let comparison): return try test(comparison)
    case .and(let operands): return try combined(operands, until: false)
    case .or(let operands): return try combined(operands, until: true)
    case .not(let operand):
      switch try test(operand) {
      case .constant(let truth): return .constant(!truth)
      case .row(let test): return .row { !test($0) }
      case .scoped(let test): return .scoped { !(try test($0)) }
      }
    }
  }

  mutating func bind(variable: Int) {
    variableCount = max(variableCount, variable + 1)
  }

  // MARK: Connectives

  /// Combines operands with short-circuit evaluation; operands that need only the row are evaluated first.
  private mutating func combined(
    _ operands: [ResolvedPredicate], until end: Bool
  ) throws -> Test {
    var rowTests: [RowTest] = []
    var scopedTests: [(Scope) throws -> Bool] = []
    for operand in operands {
      switch try test(operand) {
      case .constant(end): return .constant(end)
      case .constant: continue
      case .row(let test): rowTests.append(test)
      case .scoped(let test): scopedTests.append(test)
      }
    }
    guard !scopedTests.isEmpty else {
      return rowTests.isEmpty ? .constant(!end) : .row(Self.combined(rowTests, until: end))
    }
    if !rowTests.isEmpty {
      scopedTests.insert(Test.row(Self.combined(rowTests, until: end)).general, at: 0)
    }
    return .scoped(Self.combined(scopedTests, until: end))
  }

  private static func combined(_ tests: [RowTest], until end: Bool) -> RowTest {
    switch tests.count {
    case 1: return tests[0]
    case 2:
      let (first, second) = (tests[0], tests[1])
      return end ? { first($0) || second($0) } : { first($0) && second($0) }
    default:
      return { base in
        for test in tests where test(base) == end { return end }
        return !end
      }
    }
  }

  private static func combined(
    _ tests: [(Scope) throws -> Bool], until end: Bool
  ) -> (Scope) throws -> Bool {
    if tests.count == 1 { return tests[0] }
    return { scope in
      for test in tests where try test(scope) == end { return end }
      return !end
    }
  }

  static func invalid(_ message: String) -> PersistenceError {
    PersistenceError(.invalidRequest, message)
  }
}
