// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import Testing

@testable import RoostQuery

/// Tests of the grammar of format strings: precedence, associativity and spellings.
@Suite struct FormatSyntaxTests {
  /// Formats and the canonical spelling of the tree that they give.
  static let spellings: [(String, String)] = [
    // Logic: NOT before AND before OR; chains are one node; parentheses stay.
    ("a == 1 or b == 2 and not c == 3", "a == 1 OR (b == 2 AND (NOT c == 3))"),
    ("a == 1 && b == 2 && c == 3", "a == 1 AND b == 2 AND c == 3"),
    ("(a == 1 AND b == 2) AND c == 3", "(a == 1 AND b == 2) AND c == 3"),
    ("!a == 1 || !(b == 2)", "(NOT a == 1) OR (NOT b == 2)"),
    ("NOT NOT a == 1", "NOT (NOT a == 1)"),
    ("truepredicate AND FalsePredicate", "TRUEPREDICATE AND FALSEPREDICATE"),
    // Comparisons and their other spellings.
    ("a = 1", "a == 1"), ("a => 1", "a >= 1"), ("a =< 1", "a <= 1"), ("a <> 1", "a != 1"),
    ("a in {1, 2}", "a IN {1, 2}"), ("a in {}", "a IN {}"),
    ("a between {1, 5}", "a BETWEEN {1, 5}"),
    ("a beginswith[C] 'x'", "a BEGINSWITH[c] \"x\""),
    ("a ENDSWITH [cd] 'x'", "a ENDSWITH[cd] \"x\""),
    ("a contains[dc] 'x'", "a CONTAINS[cd] \"x\""), ("a LIKE[cdnl] 'x'", "a LIKE[cdnl] \"x\""),
    ("a MATCHES 'x'", "a MATCHES \"x\""), ("a==[n]'x'", "a ==[n] \"x\""),
    // Quantifiers.
    ("any a.b == 1", "ANY a.b == 1"), ("some a.b == 1", "ANY a.b == 1"),
    ("all a.b == 1", "ALL a.b == 1"), ("none a.b == 1", "NOT (ANY a.b == 1)"),
    ("NOT ANY a.b IN {1}", "NOT (ANY a.b IN {1})"), ("ANY (a.b > 1)", "ANY a.b > 1"),
    ("ANY a.b == 1 AND c == 2", "ANY a.b == 1 AND c == 2"),
    // Arithmetic: ** before * / %% before + - before the bits; powers to the right.
    ("a + b * c ** d - e == 1", "a + b * c ** d - e == 1"),
    ("(a + b) * c == 1", "(a + b) * c == 1"), ("a - (b - c) == 1", "a - (b - c) == 1"),
    ("a ** b ** c == 1", "a ** b ** c == 1"), ("(a ** b) ** c == 1", "(a ** b) ** c == 1"),
    ("a / b / c == 1", "a / b / c == 1"), ("a / (b / c) == 1", "a / (b / c) == 1"),
    ("a & 3 | b ^ 1 == 1", "a & 3 | b ^ 1 == 1"), ("a & (3 | b) == 1", "a & (3 | b) == 1"),
    ("a << 2 >> b == 1", "a << 2 >> b == 1"), ("~a == 1", "~(a) == 1"),
    ("-a == - 1", "-(a) == -1"), ("- -1 == a", "1 == a"),
    ("a %% 2 == 0", "modulus:by:(a, 2) == 0"), ("-2 ** 2 == 4", "-2 ** 2 == 4"),
    ("a - -2 == 4", "a - -2 == 4"),
    // Literals.
    ("a == 0x1F", "a == 31"), ("a == 0b101", "a == 5"), ("a == 0o17", "a == 15"),
    ("a == 1.50", "a == 1.5"), ("a == .5", "a == 0.5"), ("a == 1e3", "a == 1000.0"),
    ("a == 2E-2", "a == 0.02"), ("a == -9223372036854775808", "a == -9223372036854775808"),
    ("a == 0xFFFFFFFFFFFFFFFF", "a == -1"),
    ("a == YES", "a == 1"), ("a == no", "a == 0"), ("a == True", "a == 1"),
    ("a == FALSE", "a == 0"),
    ("a == nil", "a == nil"), ("a == NULL", "a == nil"), ("a == <null>", "a == <null>"),
    ("a == 'it\\'s'", "a == \"it's\""), (#"a == "say \"hi\"""#, #"a == "say \"hi\"""#),
    (#"a == 'x\n\t\\y'"#, #"a == "x\n\t\\y""#), (#"a == 'é\u00e9\x41\101'"#, "a == \"ééAA\""),
    (#"a == '\ud83c\udf41'"#, "a == \"🍁\""), ("a == '%@ %K $x'", "a == \"%@ %K $x\""),
    ("a == 3cef7aea-11c2-48ab-b289-c3c02e6a38a6", "a == 3CEF7AEA-11C2-48AB-B289-C3C02E6A38A6"),
    ("a == CAST(5, 'NSDate')", "a == CAST(5.000000, \"NSDate\")"),
    ("a == CAST('1.10', 'NSDecimalNumber')", "a == CAST(\"1.1\", \"NSDecimalNumber\")"),
    ("a == CAST('00ff', 'NSData')", "a == CAST(\"00ff\", \"NSData\")"),
    ("a == CAST('http://x.y/z', 'NSURL')", "a == CAST(\"http://x.y/z\", \"NSURL\")"),
    ("CAST(a, 'NSNumber') < 7", "CAST(a, \"NSNumber\") < 7"),
    // Key paths.
    ("SELF.name == 'x'", "name == \"x\""), ("self == 1", "SELF == 1"),
    ("a.b.@count > 0", "a.b.@count > 0"),
    ("@count == 1", "@count == 1"), ("a.first == a.size", "a.first == a.size"),
    ("#and == 1 AND a.and == 2", "#and == 1 AND a.and == 2"),
    ("#\"odd name\".x == 1", "#\"odd name\".x == 1"),
    ("größe == 1 AND 名前 == 2", "größe == 1 AND 名前 == 2"), ("_a1 == 1", "_a1 == 1"),
    ("a[FIRST].b == a[3].b", "a[FIRST].b == a[3].b"), ("a[LAST] == a[SIZE]", "a[LAST] == a[SIZE]"),
    ("a[b + 1] == 1", "a[b + 1] == 1"),
    ("first == 1 AND size == last", "first == 1 AND size == last"),
    ("$x.name == $y", "$x.name == $y"), ("count == 1 AND sum == 2", "count == 1 AND sum == 2"),
    (
      "function == 1 AND cast == 2 AND subquery.fetch == 3",
      "function == 1 AND cast == 2 AND subquery.fetch == 3"
    ),
    // Calls.
    ("sum(a.b) == average:(a.b)", "sum:(a.b) == average:(a.b)"), ("now() > a", "now() > a"),
    ("add:to:(a, 1) == 2", "a + 1 == 2"),
    ("lowercase(a) == canonical:(b)", "lowercase:(a) == canonical:(b)"),
    ("max({1, 2}) == 2", "max:({1, 2}) == 2"), ("abs(a) == sqrt(b)", "abs:(a) == sqrt:(b)"),
    ("TERNARY(a == 1, b, c) > 2", "TERNARY(a == 1, b, c) > 2"),
    (
      "subquery(a, $x, $x.b == 1 OR $x.c == 2).@count > 1",
      "SUBQUERY(a, $x, $x.b == 1 OR $x.c == 2).@count > 1"
    ),
    ("distanceToLocation:fromLocation:(a, b) < 5", "distanceToLocation:fromLocation:(a, b) < 5"),
    // White space does not matter.
    ("  a==1\n\tAND\u{A0}b\r\n=2 ", "a == 1 AND b == 2"),
  ]

  @Test("a format gives the tree that its canonical spelling gives", arguments: spellings)
  func spelling(_ format: String, _ canonical: String) throws {
    let predicate = try FetchPredicate(format)
    #expect(predicate.predicateFormat == canonical)
    #expect(try FetchPredicate(canonical) == predicate)
  }

  @Test("the parts of a tree are what they say")
  func tree() throws {
    let predicate = try FetchPredicate("ALL people.age >=[c] 3 AND NOT SELF.name = nil")
    #expect(
      predicate
        == .and([
          .comparison(
            ComparisonPredicate(
              .keyPath(["people", "age"]), .greaterThanOrEqualTo, .constant(.integer(3)),
              modifier: .all, options: .caseInsensitive)),
          .not(.comparison(ComparisonPredicate(.keyPath(["name"]), .equalTo, .constant(.null)))),
        ]))
    let subquery = try FetchPredicate("SUBQUERY(a, $x, $x.b == $y).@count == 1")
    guard case .comparison(let comparison) = subquery,
      case .keyPathOf(.subquery(.keyPath(["a"]), variable: "x", _), ["@count"]) = comparison.left
    else {
      Issue.record("\(subquery)")
      return
    }
    #expect(subquery.variableNames == ["y"])
  }

  @Test("expressions parse by themselves")
  func expressions() throws {
    #expect(
      try FetchExpression(format: "orders.@sum.price") == .keyPath(["orders", "@sum", "price"]))
    #expect(try FetchExpression(format: "now()") == .function(.now, []))
    let name = try FetchExpression(format: "canonical:(name)")
    #expect(name.expressionFormat == "canonical:(name)")
    #expect(try FetchExpression(format: "%K + %d", "a", 1).predicateFormat == "a + 1")
    #expect(thrownCode { try FetchExpression(format: "a == 1") } == .invalidPredicate)
    #expect(
      try FetchExpression(forFunction: "max:", arguments: [.keyPath(["a"])]).description
        == "max:(a)")
    #expect(
      thrownCode { try FetchExpression(forFunction: "exec:", arguments: []) } == .invalidPredicate)
    #expect(FetchExpression(forKeyPath: "a.b") == .keyPath(["a", "b"]))
  }
}
