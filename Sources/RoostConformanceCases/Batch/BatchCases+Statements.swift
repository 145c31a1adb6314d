// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

// What batch requests cost, and what they do beside each other, where stores carry them out by themselves.
extension BatchCases {
  static let statements: [ConformanceCase] = [
    ConformanceCase(
      .batch, "statements",
      "a request is one commit, with as many statements for many records as for few (X60-X62)"
    ) { stage in
      try expectSteadyStatements(in: try stage.open(BatchModel.make()))
    },
    ConformanceCase(
      .batch, "statements.history", "the same where the request is added to a history (X65)",
      needs: [.history]
    ) { stage in
      try expectSteadyStatements(in: try stage.openTracking(BatchModel.make()))
    },
    ConformanceCase(
      .batch, "side-by-side", "of updates that run side by side, none is lost (X61)"
    ) { stage in
      let stack = try stage.open(BatchModel.make())
      for number in 0..<20 { try stack.context.make("Node", ["name": "\(number)", "wide": 0]) }
      try stack.context.save()
      let coordinator = stack.coordinator
      try Threads.run(3) { _ in
        let context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
        try context.performAndWait {
          for _ in 0..<4 {
            let request = BatchUpdateRequest(entityName: "Node")
            request.predicate = try FetchPredicate("wide >= 0")
            request.propertiesToUpdate = ["wide": try FetchExpression(format: "wide + 1")]
            try context.execute(request)
          }
        }
      }
      try stack.readAnew()
      for node in try stack.context.all("Node") {
        try expectEqual(try node.number("wide"), 12, "each update has added one")
        try expectEqual(try stack.version(of: node), 13, "the version")
      }
    },
  ]

  private static func expectSteadyStatements(in stack: ConformanceStack) throws {
    guard stack.coordinator.persistentStores.allSatisfy({ $0.batches != nil }) else { return }
    var counts: [[Int]] = []
    for parts in [1, 6] {
      for part in 0..<parts {
        try BatchModel.fill(stack.context, seed: 9, round: parts * 10 + part)
      }
      counts.append(try statementCounts(in: stack))
    }
    try expectEqual(counts[1], counts[0], "the statements for six times as many records")
  }

  /// How many statements some requests take, each of which is one round trip and brings no row.
  private static func statementCounts(in stack: ConformanceStack) throws -> [Int] {
    try ["constant", "expression", "tags", "nodes", "houses"].map { name in
      let before = stack.coordinator.counters
      switch name {
      case "constant":
        try update(["note": "x", "isOn": true], where: "size > 4", in: stack)
      case "expression":
        try update(["real": try FetchExpression(format: "real")], where: nil, in: stack)
      default:
        let entity = ["tags": "Tag", "nodes": "Node", "houses": "House"][name] ?? ""
        let fetch = FetchRequest<ManagedObject>(entityName: entity)
        fetch.predicate = try FetchPredicate("name != 'none'")
        try stack.context.execute(BatchDeleteRequest(fetchRequest: fetch))
      }
      let asked = stack.coordinator.counters - before
      try expectEqual(asked.commits, 1, "the commits of \(name)")
      try expectEqual(asked.fetches + asked.rowRequests + asked.rows, 0, "what \(name) reads")
      return asked.statements
    }
  }

  private static func update(
    _ values: [AnyHashable: Any], where condition: String?, in stack: ConformanceStack
  ) throws {
    let request = BatchUpdateRequest(entityName: "Node")
    request.predicate = try condition.map { try FetchPredicate($0) }
    request.propertiesToUpdate = values
    try stack.context.execute(request)
  }
}
