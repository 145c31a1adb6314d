// SPDX-License-Identifier: Apache-2.0

public import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery

/// Random requests to a store, compared with plain loops over arrays that share no code with it.
///
/// Conditions, sort orders, limits, groups, aggregates and distinct columns are requested for stored data, for stored
/// data with unsaved changes, and again after these were saved.
///
/// ```swift
/// if let failure = OracleRun(harness).failure(seed: 7) { print(failure) }
/// ```
public struct OracleRun: Sendable {
  /// The store under test.
  public let harness: any ConformanceHarness
  private let mode: ConformanceMode
  private let fault: OracleCondition.Fault?

  /// Prepares questions to a store.
  public init(_ harness: any ConformanceHarness, mode: ConformanceMode = .plain) {
    self.init(harness, mode: mode, fault: nil)
  }

  /// Prepares questions that are answered with a rule that is wrong on purpose.
  init(
    _ harness: any ConformanceHarness, mode: ConformanceMode = .plain,
    fault: OracleCondition.Fault?
  ) {
    self.harness = harness
    self.mode = mode
    self.fault = fault
  }

  /// Runs the requests, and returns the first difference; nil when there is none.
  ///
  /// - Parameters:
  ///   - seed: The seed of the records and the requests.
  ///   - questions: The number of requests for each state.
  public func failure(seed: UInt64, questions: Int = 40) -> String? {
    let stage = ConformanceStage(harness: harness, mode: mode)
    defer { stage.clear() }
    do {
      try ask(stage, seed: seed, questions: questions)
      try stage.finish()
      return nil
    } catch {
      return "seed \(seed): \(error)"
    }
  }

  package func ask(_ stage: ConformanceStage, seed: UInt64, questions: Int) throws {
    var random = SplitMix64(seed: seed)
    let stack = try stage.open(OracleGround.makeModel())
    var ground = OracleGround(context: stack.context)
    try ground.fill(&random)
    try stack.context.save()
    try ask(&random, ground, questions, isSaved: true)
    try ground.change(&random)
    try ask(&random, ground, questions, isSaved: false)
    try stack.context.save()
    try ask(&random, ground, questions, isSaved: true)
  }

  private func ask(
    _ random: inout SplitMix64, _ ground: OracleGround, _ questions: Int, isSaved: Bool
  ) throws {
    for number in 0..<questions {
      let condition = OracleCondition.random(&random, depth: 2, fault: fault)
      let found = ground.table.clerks.filter { condition.holds($0, ground.table) }
      try askObjects(&random, ground, condition, found)
      if isSaved, number % 3 == 0 { try askGroups(&random, ground, condition, found) }
    }
  }

  // MARK: Objects

  private func askObjects(
    _ random: inout SplitMix64, _ ground: OracleGround, _ condition: OracleCondition,
    _ found: [OracleTable.Clerk]
  ) throws {
    let order = OracleOrder.random(&random)
    var wanted = found.sorted { order.isBefore($0, $1, ground.table, fault) }.map(\.serial)
    let limit = random.below(3) == 0 ? 0 : 1 + random.below(6)
    let offset = random.below(2) == 0 ? 0 : random.below(5)
    if fault == .offsetAfterLimit, limit > 0 { wanted = Array(wanted.prefix(limit)) }
    wanted = Array(wanted.dropFirst(offset))
    if limit > 0 { wanted = Array(wanted.prefix(limit)) }
    let request = FetchRequest<ManagedObject>(entityName: "Clerk")
    request.predicate = try FetchPredicate(condition.format)
    request.sortDescriptors = order.steps.map { SortOrdering($0.key, ascending: $0.ascending) }
    request.fetchLimit = limit
    request.fetchOffset = offset
    let what = "\(condition.format) by \(order.steps) limit \(limit) offset \(offset)"
    let answer = try ground.context.fetch(request).map { Int(try $0.number("serial") ?? -1) }
    try expectEqual(answer, wanted, what)
    try expectEqual(try ground.context.count(for: request), wanted.count, "the count of \(what)")
  }

  // MARK: Columns

  private func askGroups(
    _ random: inout SplitMix64, _ ground: OracleGround, _ condition: OracleCondition,
    _ found: [OracleTable.Clerk]
  ) throws {
    let key = random.pick(["active", "name", "office.city"])
    func text(_ clerk: OracleTable.Clerk) -> String {
      switch key {
      case "active": clerk.active.map { $0 ? "1" : "0" } ?? "nil"
      case "name": clerk.name ?? "nil"
      default: ground.table.office(of: clerk)?.city ?? "nil"
      }
    }
    let groups = Dictionary(grouping: found) { UTF8Key(text($0)) }
    var wanted = groups.map { key, members in
      let ages = members.compactMap(\.age)
      return "\(key.string) \(members.count) \(ages.reduce(0, +)) "
        + "\(ages.min().map(String.init) ?? "nil") \(ages.max().map(String.init) ?? "nil")"
    }
    if fault == .nilMakesNoGroup { wanted.removeAll { $0.hasPrefix("nil ") } }
    let request = FetchRequest<[String: Any]>(entityName: "Clerk")
    request.predicate = try FetchPredicate(condition.format)
    request.propertiesToFetch =
      [key] + [
        Self.column("n", .count, "serial"), Self.column("sum", .sum, "age"),
        Self.column("least", .minimum, "age"), Self.column("most", .maximum, "age"),
      ] as [any FetchableProperty]
    request.propertiesToGroupBy = [key]
    let answer = try ground.context.fetch(request).map { row in
      let numbers = ["n", "sum", "least", "most"].map { name in
        whole(row[name]).map { "\($0)" } ?? "nil"
      }
      return "\(Self.text(row[key])) \(numbers.joined(separator: " "))"
    }
    try expectEqual(answer.sorted(), wanted.sorted(), "groups by \(key) of \(condition.format)")
    let distinct = FetchRequest<[String: Any]>(entityName: "Clerk")
    distinct.predicate = request.predicate
    distinct.propertiesToFetch = [key]
    distinct.returnsDistinctResults = true
    try expectEqual(
      try ground.context.fetch(distinct).map { Self.text($0[key]) }.sorted(),
      groups.keys.map(\.string).sorted(), "distinct \(key) of \(condition.format)")
  }

  private static func text(_ value: Any?) -> String {
    switch Value(any: value) {
    case .string(let text): text
    case .boolean(let truth): truth ? "1" : "0"
    case .null: "nil"
    default: "\(value ?? "nil")"
    }
  }

  private static func column(
    _ name: String, _ function: FetchFunction, _ key: String
  ) -> ExpressionDescription {
    ExpressionDescription(
      name: name, expression: FetchExpression.function(function, [.keyPath([key])]),
      resultType: .integer64)
  }
}

/// An order of clerks; the serial number comes last, so that no two are equal.
struct OracleOrder {
  var steps: [(key: String, ascending: Bool)]

  static func random(_ random: inout SplitMix64) -> OracleOrder {
    var steps: [(key: String, ascending: Bool)] = []
    for _ in 0..<random.below(3) {
      let key = random.pick(["name", "age", "pay", "active", "office.city", "office.floor"])
      steps.append((key, random.below(2) == 0))
    }
    return OracleOrder(steps: steps + [("serial", random.below(2) == 0)])
  }

  func isBefore(
    _ left: OracleTable.Clerk, _ right: OracleTable.Clerk, _ table: OracleTable,
    _ fault: OracleCondition.Fault?
  ) -> Bool {
    for (key, ascending) in steps {
      let order = Self.order(key, left, right, table, fault)
      if order != 0 { return (order < 0) == ascending }
    }
    return false
  }

  private static func order(
    _ key: String, _ left: OracleTable.Clerk, _ right: OracleTable.Clerk, _ table: OracleTable,
    _ fault: OracleCondition.Fault?
  ) -> Int {
    func number(_ clerk: OracleTable.Clerk) -> Double? {
      switch key {
      case "age": clerk.age.map(Double.init)
      case "pay": clerk.pay
      case "active": clerk.active.map { $0 ? 1 : 0 }
      case "office.floor": table.office(of: clerk)?.floor.map(Double.init)
      default: Double(clerk.serial)
      }
    }
    func text(_ clerk: OracleTable.Clerk) -> [UInt8]? {
      let text = key == "name" ? clerk.name : table.office(of: clerk)?.city
      return text.map { Array((fault == .orderIgnoresCase ? $0.lowercased() : $0).utf8) }
    }
    if key == "name" || key == "office.city" {
      return order(text(left), text(right), fault) { $0.lexicographicallyPrecedes($1) }
    }
    return order(number(left), number(right), fault) { $0 < $1 }
  }

  /// nil comes before everything.
  private static func order<T>(
    _ left: T?, _ right: T?, _ fault: OracleCondition.Fault?, _ isLess: (T, T) -> Bool
  ) -> Int {
    let nilOrder = fault == .nilComesLast ? 1 : -1
    guard let left else { return right == nil ? 0 : nilOrder }
    guard let right else { return -nilOrder }
    return isLess(left, right) ? -1 : isLess(right, left) ? 1 : 0
  }
}
