// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

/// Requests of every kind, to compare a store's present results with those for the past.
enum PastQuestions {
  /// The answers of a context, one line each.
  static func answers(of context: ManagedObjectContext) throws -> [String] {
    var lines = try StoreFacts.lines(of: context)
    for (format, sort) in conditions {
      for window in [nil, (0, 2), (1, 3), (2, 0)] {
        let request = try request(ObjectID.self, format, sort)
        if let window { (request.fetchOffset, request.fetchLimit) = window }
        let ids = try context.fetch(request).map { RecordKey.sequence(of: $0.key) }
        let count = try context.count(for: request)
        lines.append("\(format) \(window ?? (0, 0)): \(ids), \(count)")
      }
    }
    lines += try aggregates(of: context) + prefetched(in: context)
    return lines
  }

  private static let conditions: [(format: String, sort: [SortOrdering])] = [
    ("TRUEPREDICATE", []),
    ("TRUEPREDICATE", [SortOrdering("age", ascending: false), SortOrdering("name")]),
    ("age > 3", [SortOrdering("name")]), ("age == nil OR name BEGINSWITH 'p1'", []),
    ("NOT (age IN {1, 2, 3})", [SortOrdering("age")]),
    ("department == nil", [SortOrdering("name")]),
    ("department.name == 'd1'", [SortOrdering("name")]),
    ("age > 1", [SortOrdering("department.name"), SortOrdering("name")]),
    ("ANY projects.name == 'j1'", [SortOrdering("name")]),
    ("projects.@count > 1", []), ("friends.@count == 0", [SortOrdering("age")]),
    ("SUBQUERY(projects, $p, $p.priority > 1).@count > 0", [SortOrdering("name")]),
    ("manager.manager.age < 6", []), ("desk != nil AND reports.@count < 2", []),
  ]

  private static func request<T: FetchRequestResult>(
    _ type: T.Type, _ format: String, _ sort: [SortOrdering]
  ) throws -> FetchRequest<T> {
    let request = FetchRequest<T>(entityName: "Person")
    request.predicate = try FetchPredicate(format)
    request.sortDescriptors = sort
    return request
  }

  private static func column(
    _ name: String, _ function: FetchFunction, _ key: String
  ) -> ExpressionDescription {
    ExpressionDescription(
      name: name, expression: FetchExpression.function(function, [.keyPath([key])]),
      resultType: .integer64)
  }

  private static func aggregates(of context: ManagedObjectContext) throws -> [String] {
    let sum = FetchRequest<[String: Any]>(entityName: "Person")
    sum.propertiesToFetch = [column("sum", .sum, "age"), column("n", .count, "name")]
    sum.predicate = try FetchPredicate("age > 2")
    let groups = FetchRequest<[String: Any]>(entityName: "Person")
    groups.propertiesToFetch = ["department.name", column("high", .maximum, "age")]
    groups.propertiesToGroupBy = ["department.name"]
    groups.sortDescriptors = [SortOrdering("department.name")]
    let ages = FetchRequest<[String: Any]>(entityName: "Person")
    ages.propertiesToFetch = ["age"]
    ages.returnsDistinctResults = true
    ages.sortDescriptors = [SortOrdering("age")]
    let columns = FetchRequest<[String: Any]>(entityName: "Person")
    columns.propertiesToFetch = ["name", "department.name", "age"]
    columns.sortDescriptors = [SortOrdering("name")]
    columns.fetchLimit = 4
    return try [sum, groups, ages, columns].map { request in
      try context.fetch(request).map { row in
        row.sorted { $0.key < $1.key }.map { "\($0.key)=\($0.value)" }.joined(separator: " ")
      }.joined(separator: "; ")
    }
  }

  /// Returns the values of objects with prefetched destinations.
  private static func prefetched(in context: ManagedObjectContext) throws -> [String] {
    let request = try request(ManagedObject.self, "age > 0", [SortOrdering("name")])
    request.relationshipKeyPathsForPrefetching = ["department.people", "projects", "manager"]
    request.fetchBatchSize = 3
    return try context.fetch(request).map { person in
      let department = try person.one("department")
      let colleagues = try department?.names("people") ?? []
      return "\(try person.text("name") ?? "") \(colleagues) \(try person.names("projects"))"
        + " \(try person.one("manager")?.text("name") ?? "-")"
    }
  }
}
