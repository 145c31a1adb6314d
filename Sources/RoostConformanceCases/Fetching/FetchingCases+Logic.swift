// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

/// A condition and the names of the objects of an entity that satisfy it.
struct ConditionRow: Sendable {
  let name: String
  let title: String
  let entity: String
  let format: String
  let wanted: [String]

  init(_ name: String, _ title: String, _ entity: String, _ format: String, _ wanted: [String]) {
    self.name = name
    self.title = title
    self.entity = entity
    self.format = format
    self.wanted = wanted
  }

  /// The case on the data of ``CompanyModel``: a reopened store and a context with unsaved objects must have the same
  /// results.
  var conformanceCase: ConformanceCase {
    ConformanceCase(.fetching, name, title) { [self] stage in
      let stack = try stage.open(CompanyModel.make())
      try CompanyModel.fill(stack.context)
      try stack.readAnew()
      let context = stack.context
      try expectEqual(try context.names(entity, format), wanted, format)
      let request = try context.request(entity, format, [])
      try expectEqual(try context.count(for: request), wanted.count, "the count of \(format)")
      let everybody = try context.names(entity)
      try expectEqual(
        try context.names(entity, "NOT (\(format))"), everybody.filter { !wanted.contains($0) },
        "NOT (\(format))")
      // A change to an equal value makes the context evaluate the condition on the objects itself.
      for object in try context.all(entity) { try object.set("name", try object.text("name")) }
      try expectEqual(try context.names(entity, format), wanted, "\(format), unsaved")
    }
  }
}

extension FetchingCases {
  static let logic: [ConformanceCase] = [
    ConditionRow(
      "logic.and", "AND needs both conditions (B120)", "Person", "age == 25 AND salary == 50",
      ["Bob"]),
    ConditionRow(
      "logic.or", "OR needs one condition (B120)", "Person", "age == 36 OR salary == 50",
      ["Ada", "Bob"]),
    ConditionRow(
      "logic.not", "NOT of a comparison with nil is true (B142)", "Person", "NOT (age > 30)",
      ["Bob", "Cleo", "Eve"]),
    ConditionRow(
      "logic.precedence", "AND binds more tightly than OR (B120)", "Person",
      "name == 'Eve' OR age == 25 AND salary == 50", ["Bob", "Eve"]),
    ConditionRow(
      "logic.true", "TRUEPREDICATE finds everything (B120)", "Person", "TRUEPREDICATE",
      ["Ada", "Bob", "Cleo", "Dan", "Eve"]),
    ConditionRow(
      "logic.false", "FALSEPREDICATE finds nothing (B120)", "Person", "FALSEPREDICATE", []),
    ConditionRow(
      "logic.nil-equals-nil", "two attributes that are nil are equal (B142)", "Person",
      "age == salary", ["Cleo"]),
    ConditionRow(
      "logic.attribute-with-attribute", "attributes are compared with each other (B120)", "Person",
      "age < salary", ["Ada", "Bob", "Dan"]),
    ConditionRow(
      "logic.boolean-literal", "a truth value is compared with a literal (B120)", "Person",
      "isActive == YES", ["Ada", "Cleo"]),
    ConditionRow(
      "logic.boolean-false-is-not-nil", "false is not nil (B142)", "Person", "isActive == NO",
      ["Bob"]),
    ConditionRow(
      "logic.constant-first", "a constant may stand on the left (B120)", "Person", "30 < age",
      ["Ada", "Dan"]),
    ConditionRow(
      "logic.nil-is-not-less", "nil is less than nothing (B142)", "Person", "salary < 60", ["Bob"]),
    ConditionRow(
      "logic.not-in-with-nil", "what is nil is in no list (B142)", "Person",
      "NOT (age IN {25, 36})", ["Cleo", "Dan"]),
    ConditionRow(
      "logic.in-with-nil", "nil may stand in a list (B142)", "Person", "age IN {25, nil}",
      ["Bob", "Cleo", "Eve"]),
    ConditionRow(
      "logic.deep-or", "many alternatives are one condition (B120)", "Person",
      (0..<100).map { "age == \($0)" }.joined(separator: " OR "), ["Ada", "Bob", "Dan", "Eve"]),
    ConditionRow(
      "logic.deep-nesting", "parentheses may be nested (B120)", "Person",
      String(repeating: "(", count: 40) + "age == 36" + String(repeating: ")", count: 40),
      ["Ada"]),
    ConditionRow(
      "logic.double-negation", "NOT NOT is nothing (B120)", "Person", "NOT (NOT (age == 36))",
      ["Ada"]),
  ].map(\.conformanceCase)

  static let functions: [ConformanceCase] = [
    ConditionRow(
      "function.add", "numbers are added (B120)", "Person", "age + 1 == 26", ["Bob", "Eve"]),
    ConditionRow(
      "function.subtract", "numbers are subtracted (B120)", "Person", "salary - age > 50",
      ["Ada"]),
    ConditionRow(
      "function.multiply", "numbers are multiplied (B120)", "Person", "age * 2 == 72", ["Ada"]),
    ConditionRow(
      "function.divide-doubles", "doubles are divided (B120)", "Person", "salary / 2 == 37.75",
      ["Dan"]),
    ConditionRow(
      "function.uppercase", "strings are made upper case (B120)", "Person",
      "uppercase(name) == 'ADA'", ["Ada"]),
    ConditionRow(
      "function.lowercase", "strings are made lower case (B120)", "Person",
      "lowercase(name) == 'eve'", ["Eve"]),
    ConditionRow(
      "function.length", "strings have a length (B120)", "Person", "length(name) == 4", ["Cleo"]),
    ConditionRow(
      "function.absolute", "numbers lose their sign (B120)", "Person", "abs(age - 36) < 5",
      ["Ada", "Dan"]),
    ConditionRow(
      "function.with-nil", "what is computed of nil is nil (B142)", "Person", "age + 1 == nil",
      ["Cleo"]),
    ConditionRow(
      "function.floor", "doubles are rounded down (B120)", "Person", "floor(salary) == 75",
      ["Dan"]),
    ConditionRow(
      "function.ceiling", "doubles are rounded up (B120)", "Person", "ceiling(salary) == 76",
      ["Dan"]),
  ].map(\.conformanceCase)
}
