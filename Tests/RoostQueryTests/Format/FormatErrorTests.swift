// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import Testing

@testable import RoostQuery

/// Tests of invalid formats, and of the reported offset.
@Suite struct FormatErrorTests {
  /// A format, the offset of the mistake and a part of the message.
  static let mistakes: [(String, Int, String)] = [
    ("", 0, "expected"), ("age >> ", 7, "expected"), ("age > 3 AND", 11, "expected"),
    ("age 3", 4, "unexpected"),
    ("age", 0, "condition is expected"), ("(age == 3", 9, "')' is expected"),
    ("age == 3)", 8, "unexpected"),
    ("age == == 3", 7, "expected"), ("age == 3 == 4", 0, "value is expected"),
    ("a == 'x", 5, "no end"),
    ("a == \"x", 5, "no end"), ("a == 'x\\", 7, "no end"), ("a == 'x\\ud800'", 7, "surrogate"),
    ("a == '\\u12'", 10, "digits"), ("a == 12abc", 7, "letters follow"), ("a == 0x", 7, "digits"),
    ("a == 9223372036854775808", 5, "too large"), ("a == 1e999", 5, "too large"),
    ("a == $", 5, "name is expected"),
    ("a == @", 5, "name is expected"), ("a == #", 5, "key is expected"),
    ("a ? 3", 2, "unexpected character"),
    ("a == %y", 5, "conversion"), ("a == %", 5, "conversion"),
    ("a LIKE[x] 'b'", 7, "no option 'x'"),
    ("a LIKE[c 'b'", 9, "']' is expected"), ("a BETWEEN {1}", 10, "two bounds"),
    ("a IN {1, 2", 10, "'}' is expected"),
    ("ANY a", 4, "comparison is expected"),
    ("ANY (a == 1 AND b == 2)", 4, "comparison is expected"),
    ("ANY ANY a == 1", 4, "comparison is expected"), ("a.b. == 1", 5, "key is expected"),
    ("a..b == 1", 2, "key is expected"),
    ("a == b AND c", 11, "condition is expected"), ("NOT a", 4, "condition is expected"),
    ("a + (b == 1) == 2", 4, "value is expected"),
    ("foo(a) == 1", 0, "no function 'foo'"), ("sum(a, b) == 1", 0, "does not take 2"),
    ("now(1) == a", 0, "does not take 1"),
    ("FUNCTION(a, 'exec') == 1", 0, "FUNCTION is refused"),
    ("function(self, 'class') == $c", 0, "FUNCTION is refused"),
    ("FETCH(a, b, c) == 1", 0, "FETCH is refused"),
    ("CAST(a, 'NSTask') == 1", 8, "no type 'NSTask'"),
    ("CAST(a) == 1", 6, "',' is expected"), ("SUBQUERY(a, x, x == 1).@count == 1", 12, "variable"),
    ("SUBQUERY(a, $x, 1).@count == 1", 16, "condition is expected"),
    ("a[1 == 2", 4, "']' is expected"),
    ("AND == 1", 0, "expected"), ("a == IN", 5, "expected"), ("a == 'x\0y'", 7, "NUL"),
    ("a == '\\0'", 8, "NUL"),
    ("é == 'x", 6, "no end"), ("a == 1 b == 2", 7, "unexpected"),
    ("TRUE (a)", 5, "operator is expected"),
    ("a == {1, }", 9, "expected"), ("{1, 2", 5, "'}' is expected"), ("a == %@", 5, "no argument"),
    ("a == -", 6, "expected"),
  ]

  @Test("a mistake is refused with its offset", arguments: mistakes)
  func mistake(_ format: String, _ offset: Int, _ text: String) throws {
    do {
      let predicate = try FetchPredicate(format)
      Issue.record("parsed as \(predicate)")
    } catch let error as PersistenceError {
      #expect(error.code == .invalidPredicate)
      #expect(error.message.contains("at offset \(offset):"), "\(error.message)")
      #expect(error.message.contains(text), "\(error.message)")
      #expect(error.predicateFormat == format)
    }
  }

  @Test("the message shows the surroundings with a caret under the place")
  func caret() throws {
    do {
      _ = try FetchPredicate(
        "name == 'Ada' AND age >>> 18 AND größe == 3 AND department.name == 'Research'")
      Issue.record("parsed")
    } catch let error as PersistenceError {
      let lines = error.message.split(separator: "\n", omittingEmptySubsequences: false)
      #expect(lines.count == 3)
      let column = try #require(lines[2].firstIndex(of: "^"))
      let distance = lines[2].distance(from: lines[2].startIndex, to: column)
      #expect(lines[1].dropFirst(distance).hasPrefix("> 18 AND größe"), "\(error.message)")
      #expect(lines[1].count <= 64)
    }
  }

  @Test("an empty format is told without a caret", arguments: ["", " ", "\n\t"])
  func empty(format: String) throws {
    let error = #expect(throws: PersistenceError.self) { try FetchPredicate(format) }
    #expect(error?.code == .invalidPredicate)
    #expect(error?.message.contains("\n") == false)
    #expect(error?.message.hasSuffix(": the text is empty") == true, "\(error?.message ?? "")")
  }

  @Test("placeholders and arguments must agree")
  func arguments() throws {
    #expect(thrownCode { try FetchPredicate("a == 1", 5) } == .invalidPredicate)
    #expect(thrownCode { try FetchPredicate("a == %@ OR b == %@", 5) } == .invalidPredicate)
    #expect(thrownCode { try FetchPredicate("a == %d", "x") } == .invalidPredicate)
    #expect(thrownCode { try FetchPredicate("a == %d", 1.5) } == .invalidPredicate)
    #expect(thrownCode { try FetchPredicate("a == %d", nil) } == .invalidPredicate)
    #expect(thrownCode { try FetchPredicate("a == %f", "x") } == .invalidPredicate)
    #expect(thrownCode { try FetchPredicate("a == %s", 5) } == .invalidPredicate)
    #expect(thrownCode { try FetchPredicate("%K == 1", 5) } == .invalidPredicate)
    #expect(thrownCode { try FetchPredicate("%K == 1", "a..b") } == .invalidPredicate)
    #expect(thrownCode { try FetchPredicate("%K == 1", "") } == .invalidPredicate)
    #expect(thrownCode { try FetchPredicate("a == %@", Double.nan) } == .invalidPredicate)
    #expect(thrownCode { try FetchPredicate("a == %@", "x\0") } == .invalidPredicate)
    #expect(thrownCode { try FetchPredicate("a == %@", UInt64.max) } == .invalidPredicate)
    #expect(thrownCode { try FetchPredicate("a == %@", FileManager.default) } == .invalidPredicate)
    #expect(
      thrownCode { try FetchPredicate("a IN %@", [1, FileManager.default] as [Any]) }
        == .invalidPredicate)
    #expect(thrownCode { try FetchPredicate("a IN %@", ["k": 1]) } == .invalidPredicate)
  }

  @Test("a format that is nested too deep is refused, one that is not is read (reliability 22)")
  func depth() throws {
    func nested(_ depth: Int) -> String {
      String(repeating: "NOT (", count: depth - 1) + "a == 1"
        + String(repeating: ")", count: depth - 1)
    }
    let deepest = try FetchPredicate(nested(200))
    #expect(try FetchPredicate(deepest.predicateFormat) == deepest)
    #expect(thrownCode { try FetchPredicate(nested(201)) } == .limitExceeded)
    #expect(thrownCode { try FetchPredicate(nested(100_000)) } == .limitExceeded)
    let nots = String(repeating: "!", count: 200) + "a == 1"
    #expect(thrownCode { try FetchPredicate(nots) } == .limitExceeded)
    let sum = "a" + String(repeating: " + 1", count: 100_000) + " == 1"
    #expect(thrownCode { try FetchPredicate(sum) } == .limitExceeded)
    let parentheses = String(repeating: "(", count: 100_000)
    #expect(thrownCode { try FetchPredicate(parentheses + "a") } == .limitExceeded)
    let list = String(repeating: "{", count: 300) + String(repeating: "}", count: 300)
    #expect(thrownCode { try FetchPredicate("a IN " + list) } == .limitExceeded)
    let minus = String(repeating: "-", count: 100_000) + "a == 1"
    #expect(thrownCode { try FetchPredicate(minus) } == .limitExceeded)
    let alternating =
      (0..<120).map { _ in "(a == 1 OR (b == 2 AND " }.joined() + "c == 3"
      + String(repeating: "))", count: 120)
    #expect(thrownCode { try FetchPredicate(alternating) } == .limitExceeded)
    let bound =
      (0..<99).map { _ in "(a == 1 OR (b == 2 AND " }.joined() + "c == 3"
      + String(repeating: "))", count: 99)
    #expect(try FetchPredicate(FetchPredicate(bound).predicateFormat) == FetchPredicate(bound))
  }
}
