// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import Testing

@testable import RoostQuery

/// Tests that wide queries work, and that deep ones are refused before they are run (reliability 22, 23).
@Suite struct LargeQueryTests {
  private static let small = FetchPredicate.comparison(
    ComparisonPredicate(.keyPath(["age"]), .greaterThan, .constant(.integer(3))))

  /// Without optimisation a million takes half a minute.
  #if DEBUG
  private static let wideCount = 100_000
  #else
  private static let wideCount = 1_000_000
  #endif

  @Test("a million operands are parsed or joined, printed, compared, resolved and judged")
  func wide() throws {
    let company = Company()
    let rows = TestRows(company)
    let row = try rows.add(1, nil, ["age": 5])
    var joined = Self.small
    for _ in 1..<Self.wideCount { joined = consume joined && Self.small }
    guard case .and(let operands) = joined else {
      Issue.record("not one node")
      return
    }
    #expect(operands.count == Self.wideCount)
    let resolved = try company.resolver.predicate(joined, of: company.person)
    #expect(try PredicateEvaluator(resolved, source: rows).matches(row))
    #expect(joined == .and(operands))
    let part = FetchPredicate.or(Array(operands.prefix(20_000)))
    #expect(try FetchPredicate(part.predicateFormat) == part)
    let list = try FetchPredicate("age IN %@", Array(0..<300_000))
    let inList = try company.resolver.predicate(list, of: company.person)
    #expect(try PredicateEvaluator(inList, source: rows).matches(row))
  }

  private static func nested(_ depth: Int) -> FetchPredicate {
    var predicate = small
    for _ in 1..<depth { predicate = .not(.and([predicate])) }
    return predicate
  }

  @Test("a tree of the greatest depth is resolved and judged, a deeper one is refused")
  func deep() throws {
    let company = Company()
    let rows = TestRows(company)
    let row = try rows.add(1, nil, ["age": 5])
    var deepest = Self.small
    for level in 1..<199 {
      deepest =
        level.isMultiple(of: 2) ? .and([deepest, Self.small]) : .or([deepest, .not(Self.small)])
    }
    #expect(QueryShape(of: deepest).depth == 200)
    let resolved = try company.resolver.predicate(deepest, of: company.person)
    #expect(try PredicateEvaluator(resolved, source: rows).matches(row))
    let deeper = FetchPredicate.not(deepest)
    #expect(
      thrownCode { try company.resolver.predicate(deeper, of: company.person) } == .limitExceeded)
    #expect(thrownCode { try deeper.withSubstitutionVariables([:]) } == .limitExceeded)
    #expect(deeper.variableNames.isEmpty)
    let request = FetchRequest<TypedPerson>(entityName: "Person").filter(deeper)
    #expect(thrownCode { try company.resolver.resolve(request) } == .limitExceeded)
  }

  @Test("a tree much deeper than that is measured, printed and refused without a trap")
  func abyss() throws {
    let company = Company()
    let abyss = Self.nested(5_000)
    #expect(QueryShape(of: abyss).depth == 9_999)
    #expect(abyss.predicateFormat.contains("…"))
    #expect(
      thrownCode { try company.resolver.predicate(abyss, of: company.person) } == .limitExceeded)
    var expression = FetchExpression.keyPath(["age"])
    for _ in 0..<5_000 { expression = .function(.negate, [expression]) }
    #expect(expression.predicateFormat.contains("…"))
    #expect(
      thrownCode { try company.resolver.expression(expression, of: company.person) }
        == .limitExceeded)
  }

  @Test("predicates are values: copies are changed separately, equal ones hash alike")
  func values() throws {
    let first = try FetchPredicate("age > 3 AND name == 'x'")
    var second = first
    if case .and(var operands) = second {
      operands.removeLast()
      second = .and(operands)
    }
    #expect(first != second)
    #expect(try first == FetchPredicate("age > 3 AND name == 'x'"))
    #expect(try first.hashValue == FetchPredicate("age > 3 AND name == 'x'").hashValue)
    #expect(Set([first, second, first]).count == 2)
    #expect((!first) == .not(first))
    #expect((!(!first)) == first)
  }

  @Test("a key path with too many steps is refused")
  func longPaths() throws {
    let company = Company()
    let steps = Array(repeating: "boss", count: 200)
    #expect(
      thrownCode { try company.resolved("%K == nil", (steps + ["boss"]).joined(separator: ".")) }
        == .limitExceeded)
    let rows = TestRows(company)
    try rows.add(1)
    #expect(try rows.keys("%K == nil", steps.joined(separator: ".")) == [1])
  }
}
