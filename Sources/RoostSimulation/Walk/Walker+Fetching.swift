// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostModel
import RoostObjects
import RoostQuery

extension Walker {
  /// A request, and its condition for the reference model.
  private struct Question {
    var entity: String
    var condition: WalkCondition
    var sort: [SortOrdering]
    var limit: Int
    var offset: Int
    var pending: Bool
  }

  private func question(_ step: WalkStep, pending: Bool) -> Question {
    var generator = SplitMix64(seed: UInt64(step.first) << 16 | UInt64(step.second))
    let groups = current.serials("Group").filter { stored.records[$0] != nil }
    var sort: [SortOrdering] = []
    let keys = ["name", "number", "ratio", "moment", "amount", "group.name", "parent.number"]
    for _ in 0..<generator.below(3) {
      let key = keys[generator.below(keys.count)]
      sort.append(SortOrdering(key, ascending: generator.below(2) == 0))
    }
    sort.append(SortOrdering("serial", ascending: generator.below(4) != 0))
    return Question(
      entity: generator.below(4) == 0 ? "Leaf" : "Node",
      condition: .random(&generator, groups: groups), sort: sort,
      limit: [0, 0, 1, 3, 100][step.third % 5], offset: [0, 0, 1, 4][step.third / 5 % 4],
      pending: pending)
  }

  private func prepare<T>(_ question: Question, _ request: FetchRequest<T>) throws {
    let format = question.condition.format
    var values = format.values
    if let serial = format.object { values.insert(try object(serial), at: 0) }
    request.predicate = try FetchPredicate(format: format.text, argumentArray: values)
    request.sortDescriptors = question.sort
    request.fetchLimit = question.limit
    request.fetchOffset = question.offset
    request.includesPendingChanges = question.pending
  }

  /// Returns a request for live results, of the same kind as for a fetch.
  func liveRequest(_ step: WalkStep) throws -> FetchRequest<ManagedObject> {
    let question = question(step, pending: step.second % 5 != 0)
    let request = FetchRequest<ManagedObject>(entityName: question.entity)
    try prepare(question, request)
    return request
  }

  /// The serial numbers that a question should have as its answer.
  private func answer(_ question: Question) -> [Int] {
    let state = question.pending ? current : stored
    let matching = state.serials(question.entity)
      .filter { question.condition.holds($0, in: state) }
    let sorted = matching.sorted { left, right in
      for order in question.sort {
        let sign = ValueOracle.compare(
          sortValue(order.key, left, state), sortValue(order.key, right, state))
        if sign != 0 { return order.ascending ? sign < 0 : sign > 0 }
      }
      return left < right
    }
    let rest = sorted.dropFirst(question.offset)
    return Array(question.limit == 0 ? rest : rest.prefix(question.limit))
  }

  private func sortValue(_ key: String, _ serial: Int, _ state: OracleState) -> Value {
    switch key {
    case "group.name": state.value("name", of: state.group[serial])
    case "parent.number": state.value("number", of: state.parent(of: serial))
    default: state.value(key, of: serial)
    }
  }

  private func describe(_ question: Question) -> String {
    let orders = question.sort.map { $0.key + ($0.ascending ? "" : " down") }
    return "\(question.entity) where \(question.condition.format.text) "
      + "\(question.condition.format.values) by \(orders) limit \(question.limit) "
      + "offset \(question.offset)\(question.pending ? "" : ", stored")"
  }

  func fetch(_ step: WalkStep, pending: Bool) throws {
    let question = question(step, pending: pending)
    let request = FetchRequest<ManagedObject>(entityName: question.entity)
    try prepare(question, request)
    let found = try context.fetch(request)
    try expectEqual(
      try found.map(serial), answer(question), "the objects of \(describe(question)) (I11)")
    for object in found {
      try expect(
        context.registeredObject(for: object.objectID) === object, "the object is the only one (I3)"
      )
    }
    guard step.third % 3 == 0 else { return }
    let ids = FetchRequest<ObjectID>(entityName: question.entity)
    try prepare(question, ids)
    try expectEqual(
      try context.fetch(ids), found.map(\.objectID), "the IDs of \(describe(question)) (I11)")
  }

  func count(_ step: WalkStep) throws {
    let question = question(step, pending: step.third % 2 == 0)
    let request = FetchRequest<ManagedObject>(entityName: question.entity)
    try prepare(question, request)
    try expectEqual(
      try context.count(for: request), answer(question).count,
      "the count of \(describe(question)) (I13)")
  }

  /// Checks aggregates over stored data.
  func aggregate(_ step: WalkStep) throws {
    var question = question(step, pending: false)
    (question.limit, question.offset) = (0, 0)
    let request = FetchRequest<[String: Any]>(entityName: question.entity)
    try prepare(question, request)
    request.sortDescriptors = nil
    request.propertiesToFetch = [
      Self.column("largest", .maximum, "number"), Self.column("smallest", .minimum, "number"),
      Self.column("sum", .sum, "small"), Self.column("n", .count, "serial"),
    ]
    let found = try context.fetch(request)
    try expectEqual(found.count, 1, "the rows of an aggregate")
    let numbers = answer(question).compactMap { Self.whole(stored.value("number", of: $0)) }
    let small = answer(question).compactMap { Self.whole(stored.value("small", of: $0)) }
    let what = describe(question)
    try expectEqual(Walker.integer(found[0]["largest"]), numbers.max(), "@max of \(what)")
    try expectEqual(Walker.integer(found[0]["smallest"]), numbers.min(), "@min of \(what)")
    try expectEqual(
      Walker.integer(found[0]["n"]), Int64(answer(question).count), "@count of \(what)")
    if !small.isEmpty {
      try expectEqual(Walker.integer(found[0]["sum"]), small.reduce(0, +), "@sum of \(what)")
    }
  }

  private static func integer(_ value: Any?) -> Int64? {
    RoostConformanceKit.whole(value)
  }

  private static func whole(_ value: Value) -> Int64? {
    guard case .integer(let number) = value else { return nil }
    return number
  }

  private static func column(
    _ name: String, _ function: FetchFunction, _ key: String
  ) -> ExpressionDescription {
    ExpressionDescription(
      name: name, expression: FetchExpression.function(function, [.keyPath([key])]),
      resultType: .integer64)
  }
}
