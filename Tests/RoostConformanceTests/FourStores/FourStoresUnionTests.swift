// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostConformance
import Testing

@testable import RoostSimulation

/// Tests with the same objects distributed to the four stores, and all in one reference store: random requests return
/// equal results.
@Suite("Random requests to all kinds of stores together")
struct FourStoresUnionTests {
  /// A random request, of every kind of result.
  private struct Question {
    var entity: String
    var condition: WalkCondition
    var sort: [SortOrdering]
    var limit: Int
    var offset: Int
    var kind: Int

    init(_ random: inout SplitMix64) {
      entity = random.below(4) == 0 ? "Leaf" : "Node"
      condition = .random(&random, groups: [])
      let keys = ["name", "number", "ratio", "moment", "amount", "group.name", "parent.number"]
      sort = (0..<random.below(3)).map { _ in
        SortOrdering(keys[random.below(keys.count)], ascending: random.below(2) == 0)
      }
      sort.append(SortOrdering("serial", ascending: random.below(4) != 0))
      limit = [0, 0, 1, 7, 1000][random.below(5)]
      offset = [0, 0, 1, 13, 100][random.below(5)]
      kind = random.below(7)
    }

    func request<Result>(_ type: Result.Type) throws -> FetchRequest<Result> {
      let request = FetchRequest<Result>(entityName: entity)
      request.predicate = try FetchPredicate(
        format: condition.format.text, argumentArray: condition.format.values)
      request.sortDescriptors = sort
      (request.fetchLimit, request.fetchOffset) = (limit, offset)
      return request
    }
  }

  private static func column(
    _ name: String, _ function: FetchFunction, _ key: String, _ type: AttributeType = .integer64
  ) -> ExpressionDescription {
    ExpressionDescription(
      name: name, expression: FetchExpression.function(function, [.keyPath([key])]),
      resultType: type)
  }

  /// Returns the result of a request as text, or the code of the error.
  private func answer(_ question: Question, _ context: ManagedObjectContext) throws -> [String] {
    do {
      switch question.kind {
      case 0:
        return try context.fetch(question.request(ObjectID.self)).map {
          "\(try context.existingObject(with: $0).number("serial") ?? -1)"
        }
      case 1: return ["\(try context.count(for: question.request(ManagedObject.self)))"]
      case 2: return try columns(question, context)
      case 3: return try distinct(question, context)
      case 4: return try aggregates(question, context, groupBy: nil)
      case 5:
        return try aggregates(question, context, groupBy: question.limit == 1 ? "flag" : "number")
      default:
        return try context.fetch(question.request(ManagedObject.self)).map {
          "\(try $0.number("serial") ?? -1)"
        }
      }
    } catch let error as PersistenceError {
      return ["error \(error.code.rawValue)"]
    }
  }

  private func line(_ found: [String: Any]) -> String {
    found.sorted { $0.key < $1.key }.map { "\($0.key) \($0.value)" }.joined(separator: ", ")
  }

  private func columns(_ question: Question, _ context: ManagedObjectContext) throws -> [String] {
    let request = try question.request([String: Any].self)
    request.propertiesToFetch = ["serial", "name", "amount", "group.name"]
    return try context.fetch(request).map(line)
  }

  private func distinct(_ question: Question, _ context: ManagedObjectContext) throws -> [String] {
    let request = try question.request([String: Any].self)
    request.propertiesToFetch = ["number", "flag"]
    request.returnsDistinctResults = true
    request.sortDescriptors = [
      SortOrdering("number", ascending: question.limit != 7), SortOrdering("flag"),
    ]
    return try context.fetch(request).map(line)
  }

  /// Uses integers only: the sum of doubles depends on the order of addition.
  private func aggregates(
    _ question: Question, _ context: ManagedObjectContext, groupBy key: String?
  ) throws -> [String] {
    let request = try question.request([String: Any].self)
    var columns: [any FetchableProperty] = [
      Self.column("n", .count, "serial"), Self.column("sum", .sum, "small"),
      Self.column("mean", .average, "small", .double), Self.column("least", .minimum, "number"),
      Self.column("most", .maximum, "name", .string),
      Self.column("last", .maximum, "moment", .date),
    ]
    request.sortDescriptors = nil
    (request.fetchLimit, request.fetchOffset) = (0, 0)
    if let key {
      columns.append(key)
      request.propertiesToGroupBy = [key]
      if question.offset == 1 { request.havingPredicate = try FetchPredicate("count(serial) > 2") }
    }
    request.propertiesToFetch = columns
    return try context.fetch(request).map(line).sorted()
  }

  @Test(
    "four stores together answer as one does: rows, IDs, counts, columns, groups (B125, B134, B136, B233)",
    arguments: 1...3 as ClosedRange<UInt64>)
  func answers(_ seed: UInt64) throws {
    let four = try FourStores(GardenModel.make())
    var garden = Garden(nodes: 25, seed: seed)
    garden.beds = 4
    let one = ConformanceStage(harness: StoreHarness.reference)
    defer { one.clear() }
    let reference = try one.open(GardenModel.make())
    try garden.plant(in: reference.context)
    garden.place = { [four] object, bed in
      try four.context.assign(object, to: four.stores[bed])
    }
    try garden.plant(in: four.context)
    try four.stack.reopen()
    #expect(try four.context.count(for: FetchRequest<ManagedObject>(entityName: "Node")) == 100)
    var random = SplitMix64(seed: seed)
    var lengths = 0
    for _ in 0..<150 {
      let question = Question(&random)
      let found = try answer(question, four.context)
      let wanted = try answer(question, reference.context)
      lengths += wanted.count
      #expect(found == wanted, "seed \(seed): \(question)")
    }
    #expect(lengths > 500, "most questions have an answer")
  }
}
