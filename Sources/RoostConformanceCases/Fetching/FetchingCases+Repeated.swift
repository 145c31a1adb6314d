// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery

// Repeated requests with other values: cached parts of a request must not affect the next one.
extension FetchingCases {
  static let repeated: [ConformanceCase] = [
    company(
      "repeated.values", "a request that comes again with other values has its own answer (B121)"
    ) { context in
      let cases: [(format: String, answers: [(values: [Any?], names: [String])])] = [
        (
          "name == %@",
          [(["Ada"], ["Ada"]), (["Bob"], ["Bob"]), ([nil], []), (["Zoe"], []), (["Ada"], ["Ada"])]
        ),
        (
          "age == %@",
          [
            ([25], ["Bob", "Eve"]), ([36], ["Ada"]), ([36.5], []), ([nil], ["Cleo"]),
            ([40.0], ["Dan"]), ([1e300], []), ([25], ["Bob", "Eve"]),
          ]
        ),
        (
          "age > %@",
          [
            ([25], ["Ada", "Dan"]), ([25.5], ["Ada", "Dan"]),
            ([24.5], ["Ada", "Bob", "Dan", "Eve"]),
            ([-1e300], ["Ada", "Bob", "Dan", "Eve"]), ([36], ["Dan"]), ([nil], []),
          ]
        ),
        (
          "age != %@",
          [
            ([25], ["Ada", "Cleo", "Dan"]), ([nil], ["Ada", "Bob", "Dan", "Eve"]),
            ([36], ["Bob", "Cleo", "Dan", "Eve"]),
          ]
        ),
        (
          "age IN %@",
          [
            ([[25, 36]], ["Ada", "Bob", "Eve"]), ([[36, 40]], ["Ada", "Dan"]),
            ([[36, 40.5]], ["Ada"]), ([[40]], ["Dan"]), ([[] as [Int]], []),
          ]
        ),
        (
          "age BETWEEN %@",
          [
            ([[25, 36]], ["Ada", "Bob", "Eve"]), ([[26, 39]], ["Ada"]), ([[40, 25]], []),
            ([[24.5, 25.5]], ["Bob", "Eve"]),
          ]
        ),
        (
          "isActive == %@",
          [([true], ["Ada", "Cleo"]), ([false], ["Bob"]), ([nil], ["Dan", "Eve"])]
        ),
        (
          "name BEGINSWITH %@",
          [(["A"], ["Ada"]), (["E"], ["Eve"]), (["%"], []), (["C"], ["Cleo"])]
        ),
        (
          "department.name == %@",
          [(["Research"], ["Ada", "Bob"]), (["Sales"], ["Cleo", "Dan"]), ([nil], ["Eve"])]
        ),
        (
          "ANY projects.name == %@",
          [(["Engine"], ["Ada", "Bob"]), (["Notes"], ["Ada", "Dan"]), (["Idle"], [])]
        ),
        (
          "NOT (age > %@ OR name == %@)",
          [([30, "Eve"], ["Bob", "Cleo"]), ([39, "Ada"], ["Bob", "Cleo", "Eve"])]
        ),
      ]
      for (format, answers) in cases {
        for answer in answers + answers.reversed() {
          let request = FetchRequest<ManagedObject>(entityName: "Person")
          request.predicate = try FetchPredicate(format: format, argumentArray: answer.values)
          let what = "\(format) with \(answer.values)"
          let found = try context.fetch(request).compactMap { try $0.text("name") }
          try expectEqual(found.sorted(), answer.names, what)
          try expectEqual(try context.count(for: request), answer.names.count, "count of \(what)")
          request.fetchLimit = 1
          try expectEqual(
            try context.fetch(request).count, min(1, answer.names.count), "one of \(what)")
        }
      }
    },
    company(
      "repeated.objects",
      "a request for the objects related to one comes again with another one (B121)"
    ) { context in
      var people: [String: [String]] = [:]
      for _ in 0..<2 {
        for department in try context.fetch(FetchRequest<ManagedObject>(entityName: "Department")) {
          let request = FetchRequest<ManagedObject>(entityName: "Person")
          request.predicate = try FetchPredicate("department == %@", department)
          let names = try context.fetch(request).compactMap { try $0.text("name") }
          people[try department.text("name") ?? ""] = names.sorted()
        }
        try expectEqual(
          people, ["Research": ["Ada", "Bob"], "Sales": ["Cleo", "Dan"], "Void": []], "the people")
      }
      let unsaved = try context.make("Department", ["name": "New"])
      let request = FetchRequest<ManagedObject>(entityName: "Person")
      request.predicate = try FetchPredicate("department == %@", unsaved)
      try expectEqual(try context.count(for: request), 0, "people of a department without a record")
    },
  ]
}
