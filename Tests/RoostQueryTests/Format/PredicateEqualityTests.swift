// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import Testing

@testable import RoostQuery

/// Tests of predicates and expressions as values: equal structures are equal, and every part is accessible.
@Suite struct PredicateEqualityTests {
  private static func comparison(
    _ key: String, _ comparison: ComparisonPredicate.Comparison, _ right: FetchExpression
  ) -> FetchPredicate {
    .comparison(ComparisonPredicate(.keyPath([key]), comparison, right))
  }

  private static let one = FetchExpression.constant(.integer(1))
  private static let two = FetchExpression.constant(.integer(2))

  /// A format, its arguments, and the same condition built by hand.
  static let pairs: [(String, [(any Sendable)?], FetchPredicate)] = [
    ("a IN {1, 2}", [], comparison("a", .in, .constant(.list([.integer(1), .integer(2)])))),
    ("a IN %@", [[1, 2]], comparison("a", .in, .list([one, two]))),
    (
      "a BETWEEN {1, 2}", [],
      comparison("a", .between, .constant(.list([.integer(1), .integer(2)])))
    ),
    ("a BETWEEN %@", [[1, 2]], comparison("a", .between, .list([one, two]))),
    ("a == NO", [], comparison("a", .equalTo, .constant(.boolean(false)))),
    ("a == YES", [], comparison("a", .equalTo, .constant(.boolean(true)))),
    ("a == %@", [true], comparison("a", .equalTo, .constant(.boolean(true)))),
    ("a IN {YES, nil}", [], comparison("a", .in, .constant(.list([.boolean(true), .null])))),
    ("a == 1", [], comparison("a", .equalTo, .constant(.double(1)))),
    ("SELF.a == nil", [], comparison("a", .equalTo, .constant(.null))),
    (
      "a.b == 1", [],
      .comparison(ComparisonPredicate(.keyPathOf(.keyPath(["a"]), ["b"]), .equalTo, one))
    ),
    (
      "SELF == 1", [],
      .comparison(ComparisonPredicate(.keyPathOf(.evaluatedObject, []), .equalTo, one))
    ),
    (
      "a == 1 AND NOT b == 2", [],
      .and([comparison("a", .equalTo, one), .not(comparison("b", .equalTo, two))])
    ),
  ]

  @Test(
    "a condition that is built equals the one that is parsed, both ways round (B353)",
    arguments: pairs.indices)
  func equality(_ index: Int) throws {
    let (format, arguments, built) = Self.pairs[index]
    let parsed = try FetchPredicate(format: format, argumentArray: arguments)
    #expect(parsed == built)
    #expect(built == parsed)
    #expect(parsed.hashValue == built.hashValue)
    #expect(Set([parsed, built]).count == 1)
    #expect(built.description == built.predicateFormat)
    #expect(try FetchPredicate(built.description) == parsed)
  }

  @Test("conditions that differ are not equal (B353)")
  func inequality() throws {
    let formats = [
      "a == 1", "a == 2", "b == 1", "a != 1", "a ==[c] 1", "ANY a == 1", "NOT a == 1", "a == nil",
      "a == <null>", "a IN {1, 2}", "a IN {2, 1}", "a IN {1}", "a.b == 1", "$a.b == 1", "$a == 1",
      "a == 1 AND b == 1", "b == 1 AND a == 1", "a == 1 OR b == 1", "TRUEPREDICATE",
      "SUBQUERY(a, $x, $x == 1).@count == 1", "SUBQUERY(a, $y, $y == 1).@count == 1",
      "TERNARY(a == 1, 1, 2) == 1", "TERNARY(a == 1, 2, 1) == 1", "sum(a) == 1", "max(a) == 1",
    ]
    let predicates = try formats.map { try FetchPredicate($0) }
    for left in predicates.indices {
      for right in predicates.indices {
        #expect((predicates[left] == predicates[right]) == (left == right))
      }
    }
  }

  @Test("dates are printed with six decimals, and with more where they have more (B353)")
  func dates() throws {
    for (seconds, text) in [
      (725_760_000, "725760000.000000"), (0, "0.000000"), (-1.5, "-1.500000"),
      (0.000001, "0.000001"), (785_432_198.123_456_1, "785432198.1234561"),
    ] as [(Double, String)] {
      let date = Date(timeIntervalSinceReferenceDate: seconds)
      let predicate = try FetchPredicate("born > %@", date)
      #expect(predicate.predicateFormat == "born > CAST(\(text), \"NSDate\")")
      #expect(try FetchPredicate(predicate.predicateFormat) == predicate)
    }
  }

  @Test("NSNull is printed as Core Data prints it, and parsed as it is printed (B353)")
  func nullObjects() throws {
    let predicate = try FetchPredicate("name == %@", NSNull())
    #expect(predicate.description == "name == <null>")
    #expect(try FetchPredicate(predicate.description) == predicate)
    #expect(
      try FetchPredicate("name IN %@", [NSNull(), "a"] as [Any]).description
        == #"name IN {<null>, "a"}"#)
    #expect(try FetchPredicate("name == %@", nil).description == "name == nil")
    let filled = try FetchPredicate("name == $x").withSubstitutionVariables(["x": NSNull()])
    #expect(filled == predicate)
    #expect(try FetchExpression.constant(of: NSNull()) == .nullObject)
  }

  @Test("an expression answers for its parts, and with nil for those it has not (B353)")
  func parts() throws {
    let path = try FetchExpression(format: "department.name")
    #expect(path.kind == .keyPath && path.keyPath == "department.name")
    #expect(path.operand == .evaluatedObject && path.constantValue == nil && path.arguments == nil)
    let constant = try FetchExpression(format: "3")
    #expect(constant.kind == .constantValue && constant.constantValue == .integer(3))
    #expect(constant.keyPath == nil && constant.function == nil)
    let call = try FetchExpression(format: "age + 1")
    #expect(call.kind == .function && call.function == .add)
    #expect(call.arguments == [.keyPath(["age"]), Self.one])
    let list = try FetchExpression(format: "{1, 2}")
    #expect(list.kind == .aggregate && list.members == [Self.one, Self.two])
    #expect(list.constantValue == .list([.integer(1), .integer(2)]))
    let variable = try FetchExpression(format: "$x.age")
    #expect(variable.keyPath == "age" && variable.operand == .variable("x"))
    #expect(variable.operand?.variable == "x" && variable.operand?.kind == .variable)
    let subquery = FetchExpression.subquery(
      .keyPath(["people"]), variable: "x", try FetchPredicate("$x.age > 1"))
    #expect(subquery.kind == .subquery && subquery.collection == .keyPath(["people"]))
    #expect(subquery.variable == "x")
    #expect(try subquery.predicate == FetchPredicate("$x.age > 1"))
    let choice = try FetchExpression(format: "TERNARY(a == 1, 1, 2)")
    #expect(choice.kind == .conditional && choice.trueExpression == Self.one)
    #expect(try choice.predicate == FetchPredicate("a == 1"))
    #expect(choice.falseExpression == Self.two)
    #expect(FetchExpression.evaluatedObject.kind == .evaluatedObject)
  }
}
