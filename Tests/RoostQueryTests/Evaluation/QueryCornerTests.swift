// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import Testing

@testable import RoostQuery

/// Corners of functions, of the format and of its printing.
@Suite struct QueryCornerTests {
  @Test("of values that are equally frequent the mode is the smallest")
  func mode() throws {
    var aggregate = Aggregate(.mode)
    for number in [2, 1, 3, 2, 1, 3] as [Int64] { aggregate.add(.integer(number)) }
    #expect(try aggregate.result() == .integer(1))
  }

  @Test("negative decimals are truncated towards zero, rounded down by floor and up by ceiling")
  func negativeDecimals() throws {
    let number = Value.decimal(try #require(Decimal(string: "-2.5")))
    #expect(FetchFunction.trunc.apply([number]) == .decimal(-2))
    #expect(FetchFunction.floor.apply([number]) == .decimal(-3))
    #expect(FetchFunction.ceiling.apply([number]) == .decimal(-2))
  }

  @Test("a length counts Unicode scalars, as databases do")
  func scalars() {
    #expect(FetchFunction.length.apply([.string("e\u{301}🇩🇪")]) == .integer(4))
  }

  @Test("BETWEEN takes two bounds, neither fewer nor more", arguments: ["{1}", "{1, 2, 3}", "{}"])
  func bounds(_ list: String) {
    #expect(throws: (any Error).self) { try FetchPredicate("age BETWEEN \(list)") }
  }

  @Test("a condition that is negated twice is printed with parentheses")
  func twoNegations() throws {
    let condition = try FetchPredicate("NOT (NOT (a == 1))")
    #expect(condition.predicateFormat == "NOT (NOT a == 1)")
    #expect(try FetchPredicate(condition.predicateFormat) == condition)
  }

  @Test(
    "powers are printed as they are grouped", arguments: ["(a ** b) ** c == 1", "a ** b ** c == 1"])
  func powers(_ format: String) throws {
    let condition = try FetchPredicate(format)
    #expect(try FetchPredicate(condition.predicateFormat) == condition)
    #expect(condition.predicateFormat == format)
  }

  @Test("ALL of a list of constants asks for each of them, ANY for one")
  func lists() throws {
    let company = Company()
    let all = try company.resolved("ALL {1, 2} IN friends.age")
    let any = try company.resolved("ANY {1, 2} IN friends.age")
    guard case .and(let first) = all, case .or(let second) = any else {
      Issue.record("\(all), \(any)")
      return
    }
    #expect(first.count == 2)
    #expect(second.count == 2)
  }

  @Test("ALL holds for nobody's members, also when no value can fulfil the condition (B135)")
  func allOfNothing() throws {
    let company = Company()
    guard case .comparison(let comparison) = try company.resolved("ALL friends.age < nil") else {
      Issue.record("A constant would not depend on whether there are members.")
      return
    }
    #expect(comparison.modifier == .all)
    #expect(comparison.comparison == .in)
  }
}
