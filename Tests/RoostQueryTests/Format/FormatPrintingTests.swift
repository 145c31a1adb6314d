// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import Testing

@testable import RoostQuery

/// The spelling of Apple's framework, row by row of `predicate-printing.tsv`.
@Suite struct FormatPrintingTests {
  private static let kyle = FetchPredicate.comparison(
    ComparisonPredicate(.keyPath(["name"]), .equalTo, .constant(.string("Kyle"))))

  private static func like(
    _ path: [String], _ text: String, _ modifier: ComparisonPredicate.Modifier = .direct
  ) -> FetchPredicate {
    .comparison(
      ComparisonPredicate(
        .keyPath(path), .like, .constant(.string(text)), modifier: modifier,
        options: [.caseInsensitive, .diacriticInsensitive]))
  }

  private static func value(_ text: String) -> FetchPredicate {
    .comparison(ComparisonPredicate(.keyPath(["VALUE"]), .equalTo, .constant(.string(text))))
  }

  static let built: [(FetchPredicate, String)] = [
    (kyle, #"name == "Kyle""#),
    (.not(kyle), #"NOT name == "Kyle""#),
    (
      .or([like(["type"], "T1"), like(["type"], "T2")]),
      #"type LIKE[cd] "T1" OR type LIKE[cd] "T2""#
    ),
    (
      .and([.not(value("T1")), .not(.or([value("T2"), value("T3")])), value("T4")]),
      #"(NOT VALUE == "T1") AND (NOT (VALUE == "T2" OR VALUE == "T3")) AND VALUE == "T4""#
    ),
    (
      .and([
        .or([like(["propertySet", "name"], "T1", .any)]),
        .or([like(["tagSet", "name"], "T2", .any)]),
      ]),
      #"(ANY propertySet.name LIKE[cd] "T1") AND (ANY tagSet.name LIKE[cd] "T2")"#
    ),
    (
      .not(like(["propertySet", "name"], "T1", .any)),
      #"NOT (ANY propertySet.name LIKE[cd] "T1")"#
    ),
  ]

  @Test("a tree is printed as Apple's framework prints it", arguments: built.indices)
  func trees(_ index: Int) {
    let (predicate, expected) = Self.built[index]
    #expect(predicate.predicateFormat == expected)
  }

  static let uuid = UUID(
    uuid: (
      0x3C, 0xEF, 0x7A, 0xEA, 0x11, 0xC2, 0x48, 0xAB, 0xB2, 0x89, 0xC3, 0xC0, 0x2E, 0x6A, 0x38, 0xA6
    ))

  static let parsed: [(String, [(any Sendable)?], String)] = [
    ("company.name == 'Cocode'", [], #"company.name == "Cocode""#),
    ("category == nil", [], "category == nil"),
    ("category != NULL", [], "category != nil"),
    ("name == <null>", [], "name == <null>"),
    (
      "SUBQUERY(tags, $e, $e.tag_name == 'Swift').@count == 0", [],
      #"SUBQUERY(tags, $e, $e.tag_name == "Swift").@count == 0"#
    ),
    ("type LIKE[cd] 'User'", [], #"type LIKE[cd] "User""#),
    ("any tagSet.name like[cd] 'User'", [], #"ANY tagSet.name LIKE[cd] "User""#),
    (
      "SUBQUERY(propertySet, $property, $property.name LIKE[cd] %@ AND $property.object == %@)"
        + ".@count > 0", ["key", 123],
      #"SUBQUERY(propertySet, $property, $property.name LIKE[cd] "key" AND "#
        + "$property.object == 123).@count > 0"
    ),
    ("object >= %@", [123.4], "object >= 123.4"),
    ("object == %@", [true], "object == 1"),
    ("object == %@", [NSNumber(value: true)], "object == 1"),
    ("object == YES", [], "object == 1"),
    ("dummyID IN %@", [[20, 21, 22]], "dummyID IN {20, 21, 22}"),
    (
      "dummyID == 20 OR (name ==[c] 'name' AND slug IN {'slug', 'name'})", [],
      #"dummyID == 20 OR (name ==[c] "name" AND slug IN {"slug", "name"})"#
    ),
    (
      "siteID = %lld AND ANY searchResults.keyword = %@", [Int64(123), "some"],
      #"siteID == 123 AND ANY searchResults.keyword == "some""#
    ),
    ("keyword == %@", ["🍁"], #"keyword == "🍁""#),
    ("relationships[FIRST].count <[c] 42", [], "relationships[FIRST].count <[c] 42"),
    ("UUID == %@", [uuid], "UUID == 3CEF7AEA-11C2-48AB-B289-C3C02E6A38A6"),
    (
      "((id > 0 AND id != 99) AND name BEGINSWITH 'C') AND name CONTAINS[cd] 'COLE'", [],
      #"((id > 0 AND id != 99) AND name BEGINSWITH "C") AND name CONTAINS[cd] "COLE""#
    ),
  ]

  @Test("a format is printed as Apple's framework prints it", arguments: parsed.indices)
  func formats(_ index: Int) throws {
    let (format, arguments, expected) = Self.parsed[index]
    let predicate = try FetchPredicate(format: format, argumentArray: arguments)
    #expect(predicate.predicateFormat == expected)
    #expect(try FetchPredicate(expected) == predicate)
  }
}
