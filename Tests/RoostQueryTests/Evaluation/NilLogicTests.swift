// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import Testing

@testable import RoostQuery

/// Two-valued logic with nil (B142), row by row.
@Suite struct NilLogicTests {
  /// Returns rows: key 1 has the value 5 or its equivalent, key 2 has nil, key 3 has 9 or its equivalent.
  private static func people() throws -> TestRows {
    let rows = TestRows(Company())
    let date = Date(timeIntervalSinceReferenceDate: 5)
    try rows.add(
      1, nil,
      [
        "age": 5, "height": 5.0, "name": "five", "active": true, "born": .date(date),
        "salary": .decimal(5), "photo": .data(Data([5])),
      ])
    try rows.add(2)
    try rows.add(
      3, nil,
      [
        "age": 9, "height": 9.0, "name": "nine", "active": false,
        "born": .date(date.addingTimeInterval(4)), "salary": .decimal(9),
        "photo": .data(Data([9])),
      ])
    return rows
  }

  static let table: [(String, [Int64])] = [
    ("age == 5", [1]), ("age != 5", [2, 3]), ("age == nil", [2]), ("age != nil", [1, 3]),
    ("age < 9", [1]), ("age <= 9", [1, 3]), ("age > 5", [3]), ("age >= 5", [1, 3]),
    ("age < nil", []), ("age >= nil", []), ("NOT age < 9", [2, 3]), ("NOT age == 5", [2, 3]),
    ("NOT age == nil", [1, 3]), ("NOT age != 5", [1]),
    ("age IN {5, 9}", [1, 3]), ("age IN {5, nil}", [1, 2]), ("age IN {}", []),
    ("NOT age IN {5}", [2, 3]), ("NOT age IN {nil}", [1, 3]), ("age IN NULL", []),
    ("age BETWEEN {5, 9}", [1, 3]), ("age BETWEEN {nil, 9}", []),
    ("NOT age BETWEEN {1, 6}", [2, 3]),
    ("height == 5", [1]), ("height != 5", [2, 3]), ("height > 5", [3]),
    ("height IN {5, nil}", [1, 2]),
    ("name == 'five'", [1]), ("name != 'five'", [2, 3]), ("name == ''", []),
    ("name > 'a'", [1, 3]),
    ("name BEGINSWITH ''", [1, 3]), ("name CONTAINS nil", []), ("NOT name CONTAINS 'i'", [2]),
    ("name LIKE '*'", [1, 3]), ("name MATCHES '.*'", [1, 3]), ("name IN[c] {'FIVE', nil}", [1, 2]),
    ("name ==[c] nil", [2]), ("name !=[c] 'FIVE'", [2, 3]), ("NOT name LIKE 'f*'", [2, 3]),
    ("active == YES", [1]), ("active == NO", [3]), ("active != YES", [2, 3]),
    ("active == nil", [2]),
    ("active == NO OR active == nil", [2, 3]),
    ("born == CAST(5, 'NSDate')", [1]), ("born > CAST(5, 'NSDate')", [3]), ("born == nil", [2]),
    ("salary == 5", [1]), ("salary != 5", [2, 3]), ("salary < 6", [1]), ("salary == nil", [2]),
    ("photo == nil", [2]), ("age + 1 == 6", [1]), ("age + 1 == nil", [2]),
    ("age + 1 != 6", [2, 3]),
    ("age / 0 == nil", [1, 2, 3]), ("age %% 0 == nil", [1, 2, 3]),
    ("age == age", [1, 2, 3]), ("age != age", []), ("age == height", [1, 2, 3]),
    ("age < height", []), ("age <= height", [1, 3]), ("nil == age", [2]), ("5 < age", [3]),
    ("TERNARY(age == nil, 0, age) < 6", [1, 2]),
    ("boss == nil", [1, 2, 3]), ("boss.age == nil", [1, 2, 3]), ("boss.age != 5", [1, 2, 3]),
    ("boss.age < 5", []), ("NOT boss.age < 5", [1, 2, 3]), ("boss.age IN {nil}", [1, 2, 3]),
    ("boss.boss != nil", []), ("TRUEPREDICATE", [1, 2, 3]), ("FALSEPREDICATE", []),
  ]

  @Test(
    "a comparison with nil is false except that == and != take nil for a value (B142)",
    arguments: table)
  func logic(_ format: String, _ expected: [Int64]) throws {
    #expect(try Self.people().keys(format) == expected)
  }
}
