// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

// The cost of batch requests, and concurrent ones, in stores that execute them.
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

  static let many: [ConformanceCase] = [
    ConformanceCase(
      .batch, "many", "a request that fails at the last of many records changes none (X60, B274)"
    ) { stage in
      let stack = try stage.open(BatchModel.make())
      try makeMany(["Node"], in: stack)
      try expectRefused(in: stack)
      try expectEqual(
        try stack.context.count(for: stack.context.request("Node", "small == 0", [])), 1_500,
        "the records that did not change")
      stack.context.delete(try stack.context.named("Node", "last"))
      try stack.context.save()
      try update(["small": try FetchExpression(format: "small + 1")], where: nil, in: stack)
      try stack.readAnew()
      try expectEqual(
        try stack.context.count(for: stack.context.request("Node", "small == 1", [])), 1_500,
        "the records that changed")
    },
    ConformanceCase(
      .batch, "many.evolved",
      "a request that fails in a store of a new version leaves it readable (X60, M14)",
      needs: [.evolution, .reopening]
    ) { stage in
      let stack = try stage.open(BatchModel.make())
      try makeMany(["Node", "Leaf"], in: stack)
      func later() throws -> ManagedObjectModel {
        let model = BatchModel.make()
        let node = try require(model.entitiesByName["Node"], "the entity")
        node.properties.append(AttributeDescription.string("added"))
        return model
      }
      try stack.reopen(model: try later())
      // Not reopened afterwards, which would make the store read its formats from the file.
      try expectRefusal(in: stack)
      // Saved alone: with another entity's first record the format would be known, which would hide that the store
      // trusts formats that were not written.
      try stack.context.make("Node", ["name": "new", "added": "a"])
      try stack.context.save()
      try stack.context.make("Leaf", ["name": "leaf", "added": "b"])
      try stack.context.save()
      try stack.reopen(model: try later())
      try expectEqual(try stack.context.named("Node", "new").text("added"), "a")
      try expectEqual(try stack.context.named("Leaf", "leaf").text("added"), "b")
    },
  ]

  /// Makes 1,500 records of each entity, and one whose number cannot be increased.
  private static func makeMany(_ entities: [String], in stack: ConformanceStack) throws {
    for entity in entities {
      for number in 0..<1_500 {
        try stack.context.make(entity, ["name": "\(number)", "small": 0])
      }
    }
    try stack.context.make(entities[entities.count - 1], ["name": "last", "small": 32_767])
    try stack.context.save()
  }

  private static func expectRefused(in stack: ConformanceStack) throws {
    try expectRefusal(in: stack)
    try stack.readAnew()
  }

  private static func expectRefusal(in stack: ConformanceStack) throws {
    try expectError(.invalidValue) {
      try update(["small": try FetchExpression(format: "small + 1")], where: nil, in: stack)
    }
  }

  private static func expectSteadyStatements(in stack: ConformanceStack) throws {
    guard stack.coordinator.persistentStores.allSatisfy({ $0.batches != nil }) else { return }
    // One-time statements, and those of the store's own maintenance, are not counted.
    stack.coordinator.historyTicks.isTrimming = false
    try BatchModel.fill(stack.context, seed: 9, round: 100)
    _ = try statementCounts(in: stack)
    var counts: [[Int]] = []
    for parts in [1, 6] {
      for part in 0..<parts {
        try BatchModel.fill(stack.context, seed: 9, round: parts * 10 + part)
      }
      counts.append(try statementCounts(in: stack))
    }
    try expectEqual(counts[1], counts[0], "the statements for six times as many records")
  }

  /// Returns the number of statements of some requests; each is one round trip and returns no row.
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
