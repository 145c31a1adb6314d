// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import Testing

@testable import RoostQuery

/// Strings, numbers and functions: the value contract, in memory.
@Suite struct ValueEvaluationTests {
  private func matching(_ names: [String], _ format: String, _ arguments: Any?...) throws
    -> [String]
  {
    let company = Company()
    let rows = TestRows(company)
    for (index, name) in names.enumerated() {
      try rows.add(Int64(index), nil, ["name": .string(name)])
    }
    let predicate = try FetchPredicate(format: format, argumentArray: arguments)
    let resolved = try company.resolver.predicate(predicate, of: company.person)
    let evaluator = try PredicateEvaluator(resolved, source: rows)
    return try rows.rows.filter { try evaluator.matches($0) }.map { names[Int($0.key)] }
  }

  @Test("strings are equal and ordered by their UTF-8 bytes")
  func bytes() throws {
    let composed = "\u{E9}"
    let decomposed = "e\u{301}"
    func bytes(_ texts: [String]) -> [[UInt8]] { texts.map { Array($0.utf8) } }
    let names = [composed, decomposed, "e", "f", "\u{FFFD}", "\u{1F341}"]
    #expect(try bytes(matching(names, "name == %@", composed)) == bytes([composed]))
    #expect(try bytes(matching(names, "name == %@", decomposed)) == bytes([decomposed]))
    #expect(
      try bytes(matching(names, "name IN %@", [decomposed, "f"])) == bytes([decomposed, "f"]))
    #expect(try bytes(matching(names, "name != %@", composed)) == bytes(Array(names.dropFirst())))
    #expect(try bytes(matching(names, "name < %@", "f")) == bytes([decomposed, "e"]))
    #expect(try bytes(matching(names, "name > %@", "\u{FFFD}")) == bytes(["\u{1F341}"]))
    #expect(try bytes(matching(names, "name BEGINSWITH 'e'")) == bytes([decomposed, "e"]))
    #expect(try bytes(matching(names, "name CONTAINS %@", "\u{301}")) == bytes([decomposed]))
    #expect(
      try bytes(matching(names, "name ==[c] %@", composed)) == bytes([composed, decomposed]))
  }

  static let comparisons: [(String, [String])] = [
    ("name BEGINSWITH 'an'", ["ananas"]), ("name BEGINSWITH[c] 'AN'", ["ananas", "Anna"]),
    ("name ENDSWITH 'na'", ["Anna", "Żona"]),
    ("name CONTAINS 'nan'", ["ananas"]),
    ("name CONTAINS ''", ["ananas", "Anna", "", "Żona", "100%_*?\\", "Straße"]),
    ("name CONTAINS[cd] 'ZO'", ["Żona"]), ("name CONTAINS[c] 'zo'", []),
    ("name ==[c] 'STRASSE'", ["Straße"]),
    ("name CONTAINS '%'", ["100%_*?\\"]), ("name BEGINSWITH '100%_*?'", ["100%_*?\\"]),
    ("name ENDSWITH '\\\\'", ["100%_*?\\"]),
    ("name LIKE 'A*'", ["Anna"]), ("name LIKE[c] 'a*a?'", ["ananas"]),
    ("name LIKE '?nna'", ["Anna"]), ("name LIKE '?ona'", ["Żona"]),
    ("name LIKE '*'", ["ananas", "Anna", "", "Żona", "100%_*?\\", "Straße"]),
    ("name LIKE ''", [""]), ("name LIKE '?'", []),
    ("name LIKE '100%_\\\\*\\\\?*'", ["100%_*?\\"]),
    ("name LIKE '*\\\\*\\\\?\\\\\\\\'", ["100%_*?\\"]), ("name LIKE '*n*n*'", ["ananas", "Anna"]),
    ("name LIKE[cd] 'zona'", ["Żona"]), ("name LIKE '*a'", ["Anna", "Żona"]),
    ("name LIKE 'an'", []),
    ("name MATCHES '.*nn.*'", ["Anna"]), ("name MATCHES 'nn'", []),
    ("name MATCHES[c] 'an+a(s|nas)?'", ["ananas", "Anna"]),
    ("name MATCHES[cd] 'zona'", ["Żona"]), ("name MATCHES 'a|ananas'", ["ananas"]),
    ("name MATCHES '\\\\d+.*'", ["100%_*?\\"]),
    ("name <[c] 'B'", ["ananas", "Anna", "", "100%_*?\\"]), ("name BETWEEN {'A', 'B'}", ["Anna"]),
    ("name IN[cd] {'ANNA', 'zona'}", ["Anna", "Żona"]),
    ("length(name) == 4", ["Anna", "Żona"]), ("uppercase(name) == 'ANNA'", ["Anna"]),
    ("lowercase(name) == 'żona'", ["Żona"]),
    ("canonical(name) == 'zona'", ["Żona"]), ("name ==[l] 'Anna'", ["Anna"]),
    ("name CONTAINS[cdl] 'ZO'", ["Żona"]), ("name.length == 0", [""]),
  ]

  @Test("string comparisons and patterns", arguments: comparisons)
  func strings(_ format: String, _ expected: [String]) throws {
    let names = ["ananas", "Anna", "", "Żona", "100%_*?\\", "Straße"]
    #expect(try matching(names, format) == expected)
  }

  @Test("a pattern of many stars is judged in time that does not explode")
  func patterns() throws {
    let matcher = try StringMatcher(.like, String(repeating: "*a", count: 40) + "b")
    #expect(try !matcher.matches(String(repeating: "a", count: 4000)))
    #expect(try StringMatcher.matches("abc", pattern: "[a-c]+"))
    #expect(try !StringMatcher.matches("abcd", pattern: "[a-c]+"))
    #expect(throws: PersistenceError(.invalidPredicate, "")) {
      try StringMatcher.matches("abc", pattern: "(")
    }
    #expect(throws: PersistenceError(.invalidPredicate, "")) {
      try StringMatcher.matches("abc", pattern: "x)|(?:abc")
    }
    // A comment at the end of a pattern does not extend beyond it.
    #expect(try StringMatcher.matches("AB", pattern: "(?x) [A-Z]+ # a code"))
    #expect(try !StringMatcher.matches("AB1", pattern: "(?x) [A-Z]+ # a code"))
    #expect(try StringMatcher.matches("a.c", pattern: "\\Qa.c"))
    #expect(try !StringMatcher.matches("abc", pattern: "\\Qa.c"))
  }

  @Test("integers and doubles are compared by their mathematical value")
  func numbers() throws {
    let company = Company()
    let rows = TestRows(company)
    let big: Int64 = 9_007_199_254_740_993
    try rows.add(
      1, company.manager, ["budget": .integer(big), "height": .double(9_007_199_254_740_992)])
    try rows.add(
      2, company.manager, ["budget": .integer(big - 1), "height": .double(9_007_199_254_740_992)])
    try rows.add(3, company.manager, ["budget": .integer(.max), "height": .double(0x1p63)])
    try rows.add(4, company.manager, ["budget": .integer(.min), "height": .double(-0x1p63)])
    func keys(_ format: String) throws -> [Int64] { try rows.keys(format, of: company.manager) }
    #expect(try keys("budget == height") == [2, 4])
    #expect(try keys("budget > height") == [1])
    #expect(try keys("budget < height") == [3])
    #expect(try keys("budget == 9007199254740993") == [1])
    #expect(try keys("budget == 9007199254740992.0") == [2])
    #expect(try keys("height == 9007199254740993") == [])
    #expect(try keys("budget >= 9223372036854775807") == [3])
    #expect(try keys("budget < 9223372036854775808.0") == [1, 2, 3, 4])
    #expect(try keys("height < CAST('inf', 'NSNumber')") == [1, 2, 3, 4])
  }

  @Test("decimals are compared as numbers, to all their digits")
  func decimals() throws {
    let rows = TestRows(Company())
    let long = try #require(Decimal(string: "12345678901234567890.123456789012345678"))
    try rows.add(1, nil, ["salary": .decimal(long)])
    try rows.add(2, nil, ["salary": .decimal(try #require(Decimal(string: "1.10")))])
    #expect(try rows.keys("salary == %@", long) == [1])
    #expect(try rows.keys("salary == 1.1") == [2])
    #expect(try rows.keys("salary > %@", long - Decimal(string: "0.000000000000000001")!) == [1])
    #expect(try rows.keys("salary IN {1.1}") == [2])
    #expect(try rows.keys("salary * 2 == 2.2") == [2])
  }

  static let functions: [(String, Value)] = [
    ("7 / 2", 3), ("-7 / 2", -3), ("7.0 / 2", 3.5), ("7 %% 3", 1), ("-7 %% 3", -1),
    ("7.5 %% 2", 1.5), ("2 ** 10", 1024.0),
    ("1 / 0", nil), ("1.0 / 0", nil), ("5 %% 0", nil),
    ("9223372036854775807 + 1", nil),
    ("-9223372036854775808 - 1", nil), ("9223372036854775807 * 2", nil),
    ("-9223372036854775808 / -1", nil),
    ("-9223372036854775808 %% -1", 0), ("abs(-9223372036854775808)", nil),
    ("9223372036854775807 + 1.0", 9223372036854775808.0),
    ("abs(-5)", 5), ("abs(-5.5)", 5.5), ("floor(2.7)", 2.0), ("ceiling(2.1)", 3.0),
    ("trunc(-2.7)", -2.0), ("floor(-2.1)", -3.0),
    ("floor(5)", 5), ("sqrt(16)", 4.0), ("sqrt(-1)", nil), ("log(100)", 2.0), ("ln(1)", 0.0),
    ("ln(0)", nil), ("ln(-1)", nil), ("exp(0)", 1.0),
    ("exp(1000)", nil), ("6 & 3", 2), ("6 | 3", 7), ("6 ^ 3", 5), ("~5", -6),
    ("1 << 62", 4611686018427387904), ("1 << 64", nil), ("1 << -1", nil),
    ("-8 >> 1", -4), ("length('🍁é')", 2), ("length('')", 0), ("uppercase('aß')", "ASS"),
    ("lowercase('AÉ')", "aé"), ("canonical('ÀÉ')", "ae"),
    ("CAST('5', 'NSNumber')", 5), ("CAST('5.5', 'NSNumber')", 5.5), ("CAST('x', 'NSNumber')", nil),
    ("CAST(5, 'NSString')", "5"),
    ("CAST(now(), 'NSNumber')", 1000.0), ("now() - CAST(5, 'NSDate')", 995.0),
    ("TERNARY(1 == 1, 'a', 'b')", "a"),
    ("TERNARY(1 == 2, 'a', 'b')", "b"),
  ]

  @Test("functions of values; what has no result is nil", arguments: functions)
  func functionValues(_ format: String, _ expected: Value) throws {
    let company = Company()
    let expression = try company.resolver.expression(
      FetchExpression(format: format), of: company.person)
    try check(expression, expected)
  }

  private func check(_ expression: ResolvedExpression, _ expected: Value) throws {
    let rows = TestRows(Company())
    let row = try rows.add(1)
    let value = try ExpressionEvaluator(expression, source: rows).value(for: row)
    #expect(value == expected)
    #expect(ExpressionType(value) == ExpressionType(expected))
  }

  @Test("functions in conditions")
  func conditions() throws {
    let resolver = Company().resolver
    for format in ["2 ** 0.5 > 1.41", "CAST('1.5', 'NSDecimalNumber') + 1 == 2.5"] {
      #expect(try resolver.evaluate(FetchPredicate(format), with: nil), "\(format)")
    }
  }

  @Test("dates and numbers of seconds")
  func dates() throws {
    let rows = TestRows(Company())
    try rows.add(1, nil, ["born": .date(Date(timeIntervalSinceReferenceDate: 900))])
    #expect(try rows.keys("born < now() - 50") == [1])
    #expect(try rows.keys("born < now() - 150") == [])
    #expect(try rows.keys("now() - born == 100") == [1])
    #expect(try rows.keys("born + 100 == now()") == [1])
    #expect(try rows.keys("100 + born == now()") == [1])
  }
}
