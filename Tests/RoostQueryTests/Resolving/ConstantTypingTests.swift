// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import Testing

@testable import RoostQuery

/// Tests that constants get the type of the attribute that they are compared with, without a change of meaning (the
/// value contract).
@Suite struct ConstantTypingTests {
  /// Returns a short text of a resolved comparison.
  private static func text(_ predicate: ResolvedPredicate) -> String {
    switch predicate {
    case .constant(let truth): return "\(truth)"
    case .not(let inner): return "not " + text(inner)
    case .and(let operands): return operands.map(text).joined(separator: " and ")
    case .or(let operands): return operands.map(text).joined(separator: " or ")
    case .comparison(let comparison):
      var name = "?"
      if case .path(let path) = comparison.left, case .attribute(let attribute, _) = path.end {
        name = attribute.name
      }
      let right =
        switch comparison.right {
        case .constant(let value): text(value)
        case .list(let values): "{" + values.map(text).joined(separator: " ") + "}"
        default: "?"
        }
      let modifier =
        switch comparison.modifier {
        case .direct: ""
        case .any: "any "
        case .all: "all "
        }
      return "\(modifier)\(name) \(comparison.comparison.rawValue) \(right)"
    }
  }

  private static func text(_ value: Value) -> String {
    switch value {
    case .integer(let number): "i\(number)"
    case .double(let number): "d\(number)"
    case .decimal(let number): "m\(number)"
    case .boolean(let truth): "b\(truth)"
    default: "\(value)"
    }
  }

  static let table: [(String, String)] = [
    // Integers and numbers with a fraction.
    ("age == 17", "age == i17"), ("age == 17.0", "age == i17"), ("age > 17.5", "age >= i18"),
    ("age >= 17.5", "age >= i18"),
    ("age < 17.5", "age <= i17"), ("age <= 17.5", "age <= i17"), ("age == 17.5", "false"),
    ("age != 17.5", "true"),
    ("age > -17.5", "age >= i-17"), ("age < -17.5", "age <= i-18"), ("17.5 < age", "age >= i18"),
    ("17.5 >= age", "age <= i17"),
    ("age == YES", "age == i1"), ("age < 1e300", "age != nil"), ("age > 1e300", "false"),
    ("age >= -1e300", "age != nil"),
    ("age == 1e300", "false"), ("age != 1e300", "true"),
    ("age < 9223372036854775808.0", "age != nil"),
    ("age >= -9223372036854775808.0", "age >= i-9223372036854775808"),
    ("age == 70000000000", "age == i70000000000"),
    ("age < CAST('17.5', 'NSDecimalNumber')", "age <= i17"),
    ("age == CAST('17.0', 'NSDecimalNumber')", "age == i17"),
    ("age > CAST('1e40', 'NSDecimalNumber')", "false"),
    ("age > CAST('-17.5', 'NSDecimalNumber')", "age >= i-17"),
    ("age IN {1, 2.5, 3.0, nil, 1e300}", "age IN {i1 i3 nil}"), ("age IN {2.5}", "age IN {}"),
    ("age BETWEEN {1.5, 4.5}", "age BETWEEN {i2 i4}"),
    ("age BETWEEN {-1e300, 4.5}", "age BETWEEN {i-9223372036854775808 i4}"),
    ("age BETWEEN {1e300, 1e301}", "false"), ("age BETWEEN {nil, 3}", "false"),
    ("age < nil", "false"), ("age == nil", "age == nil"),
    // Doubles, and integers that a double cannot represent.
    ("height == 2", "height == d2.0"), ("height == 9007199254740993", "false"),
    ("height != 9007199254740993", "true"),
    ("height < 9007199254740993", "height <= d9007199254740992.0"),
    ("height >= 9007199254740993", "height >= d9.007199254740994e+15"),
    ("height == 0.1", "height == d0.1"),
    ("height > CAST('0.5', 'NSDecimalNumber')", "height > d0.5"),
    ("height IN {1, 9007199254740993}", "height IN {d1.0}"), ("height == -0.0", "height == d0.0"),
    // Decimals.
    ("salary == 10", "salary == m10"), ("salary == 10.1", "salary == m10.1"),
    ("salary < 1e300", "salary != nil"),
    ("salary >= -1e300", "salary != nil"),
    ("salary == CAST('1.10', 'NSDecimalNumber')", "salary == m1.1"),
    // Truth values.
    ("active == 1", "active == btrue"), ("active == NO", "active == bfalse"),
    ("active == 1.0", "active == btrue"),
    ("active == 2", "false"), ("active != 2", "true"), ("active > 0", "active > bfalse"),
    ("active > 0.5", "active >= btrue"),
    ("active < 5", "active != nil"), ("active IN {0, 1, 7}", "active IN {bfalse btrue}"),
    // Quantifiers keep their meaning for no members at all.
    ("ANY reports.age == 17.5", "false"), ("ALL reports.age == 17.5", "all age IN {}"),
    ("ANY reports.age != 17.5", "not all age IN {}"),
    ("ALL reports.age != 17.5", "true"), ("ANY reports.age > 17.5", "any age >= i18"),
    ("ALL reports.age < 1e300", "all age != nil"),
    ("ALL reports.age < nil", "all age IN {}"), ("ANY reports.age IN {1.5, 2}", "any age IN {i2}"),
    // Comparisons of constants.
    ("1 = 1", "true"), ("1 == 1.0", "true"), ("1 > 2", "false"), ("'a' CONTAINS ''", "true"),
    ("nil == nil", "true"),
    ("9007199254740993 == 9007199254740992.0", "false"), ("'A' ==[c] 'a'", "true"),
    ("5 BETWEEN {1, 5}", "true"), ("5 IN {1, 2}", "false"),
    ("1 + 1 == 2", "true"), ("1 / 0 == nil", "true"), ("abs(-5) == 5", "true"),
    ("now() == CAST(1000, 'NSDate')", "true"),
    // Connectives are flattened, and constants are folded.
    (
      "age == 1 AND (age == 2 AND (age == 3 AND TRUEPREDICATE))",
      "age == i1 and age == i2 and age == i3"
    ),
    ("age == 1 AND 1 == 2", "false"), ("age == 1 OR 1 == 1", "true"),
    ("age == 1 OR (age == 2 OR 1 == 2)", "age == i1 or age == i2"),
    ("NOT NOT age == 1", "age == i1"), ("NOT 1 == 2", "true"), ("NOT age == 1", "not age == i1"),
  ]

  @Test("a constant is bound with the type of the attribute", arguments: table)
  func typing(_ format: String, _ expected: String) throws {
    #expect(Self.text(try Company().resolved(format)) == expected)
  }

  static let mismatches: [String] = [
    "age == 'x'", "name == 5", "born == 5", "born == '2021-05-25'", "born > 'x'", "active == 'yes'",
    "code == 'x'",
    "code == 5", "photo == 'x'", "home == 'http://x.y'", "salary == 'x'", "height > 'x'",
    "name > 5", "name IN {1, 'a'}",
    "age IN {1, 'a'}", "age BETWEEN {1, 'z'}", "age CONTAINS 'x'", "age LIKE '1*'",
    "name CONTAINS 5", "name BEGINSWITH age",
    "name == age", "born == age", "department == 'x'", "department == 5", "SELF == 5",
    "boss IN {1, 2}", "ANY friends == 'x'",
    "uppercase(age) == 'X'", "length(age) == 1", "name + 1 == 2", "name & 1 == 2",
    "height & 1 == 2", "abs(name) == 1",
    "friends.@sum.name > 1", "friends.@avg.born > 1", "pet == 5",
  ]

  @Test("a value of another type is refused with invalidValue", arguments: mismatches)
  func mismatch(_ format: String) {
    #expect(thrownCode { try Company().resolved(format) } == .invalidValue)
  }

  @Test("values that no attribute can have are refused")
  func impossible() throws {
    let company = Company()
    let nan = FetchPredicate.comparison(
      ComparisonPredicate(.keyPath(["height"]), .equalTo, .constant(.double(.nan))))
    #expect(thrownCode { try company.resolver.predicate(nan, of: company.person) } == .invalidValue)
    let nul = FetchPredicate.comparison(
      ComparisonPredicate(.keyPath(["name"]), .equalTo, .constant(.string("a\0b"))))
    #expect(thrownCode { try company.resolver.predicate(nul, of: company.person) } == .invalidValue)
    #expect(thrownCode { try company.resolved("name MATCHES '('") } == .invalidPredicate)
    #expect(
      thrownCode { try company.resolved("ANY friends.name MATCHES '[z-a]'") } == .invalidPredicate)
  }
}
