// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostSimulation
import RoostStore

// A store that executes batch requests itself has the same results as the coordinator, which reads the records and
// commits them (X60).
extension BatchCases {
  static let bothWays: [ConformanceCase] =
    (1...4).map { seed in
      ConformanceCase(
        .batch, "both-ways.\(seed)",
        "random requests do the same by statements and record by record (X60-X62, X64, X65)"
      ) { stage in
        var duel = try BatchDuel(stage, seed: UInt64(seed), keepsHistory: false)
        try duel.run(requests: 60)
      }
    }
    + (5...7).map { seed in
      ConformanceCase(
        .batch, "both-ways.history.\(seed)",
        "random requests leave the same history by statements and record by record (X65, H18)",
        needs: [.history]
      ) { stage in
        var duel = try BatchDuel(stage, seed: UInt64(seed), keepsHistory: true)
        try duel.run(requests: 50)
      }
    }
}

/// A store that has no batch requests of its own.
final class RecordwiseStore: ForwardingStore, @unchecked Sendable {
  // Sendable: it has nothing of its own.

  override var batches: (any StoreBatches)? { nil }
  override func forwarding(to base: any PersistentStore) -> (any PersistentStore)? {
    RecordwiseStore(base)
  }
}

/// Two stores with the same requests; one of them never executes a batch request itself.
private struct BatchDuel {
  private let stacks: [ConformanceStack]
  private var words: BatchWords
  private let keepsHistory: Bool

  init(_ stage: ConformanceStage, seed: UInt64, keepsHistory: Bool) throws {
    self.keepsHistory = keepsHistory
    words = BatchWords(seed: seed)
    let model = BatchModel.make()
    stacks = try [false, true].map { isRecordwise in
      var store = try stage.makeStore()
      if keepsHistory {
        try store.setOption(.boolean(true), forKey: StoreOption.historyTracking)
      }
      return try stage.open(
        model, on: [isRecordwise ? store.forwarded { RecordwiseStore($0) } : store])
    }
  }

  mutating func run(requests: Int) throws {
    for number in 0..<requests {
      if number.isMultiple(of: 12) {
        let seed = words.next()
        for stack in stacks { try BatchModel.fill(stack.context, seed: seed, round: number) }
      }
      let request = try words.request()
      // Rows in the cache must not be read afterwards.
      if words.below(2) == 0 { for stack in stacks { _ = try stack.content() } }
      let answers = try stacks.map { try request.answer(in: $0) }
      let what = "request \(number), \(request)"
      try expectEqual(answers[0], answers[1], "the answer to \(what)")
      let rows = try stacks.map(Self.rows)
      try expectEqual(rows[0].keys.sorted(), rows[1].keys.sorted(), "the records after \(what)")
      for (uri, row) in rows[1] { try expectEqual(rows[0][uri], row, "\(uri) after \(what)") }
      try expectEqual(
        try Self.known(in: stacks[0]), try Self.known(in: stacks[1]), "the cache after \(what)")
    }
    guard keepsHistory else { return }
    let histories = try stacks.map(Self.history)
    try expectEqual(histories[0].count, histories[1].count, "the transactions")
    for (index, (mine, other)) in zip(histories[0], histories[1]).enumerated() {
      try expectEqual(mine, other, "transaction \(index)")
    }
  }

  /// All records as text, by their URIs without the store: values, relationships and versions.
  private static func rows(of stack: ConformanceStack) throws -> [String: String] {
    var result: [String: String] = [:]
    for (uri, properties) in try stack.content().records {
      let text = properties.sorted { $0.key < $1.key }.map { name, property in
        switch property {
        case .value(let value): "\(name)=\(value)"
        case .destinations(let uris): "\(name)=\(uris.map(place).joined(separator: ","))"
        }
      }
      result[place(uri)] = text.joined(separator: " ")
    }
    let context = stack.makeContext()
    for entity in BatchModel.entities {
      for object in try context.all(entity) {
        let version = try stack.version(of: object)
        let uri = place("\(object.objectID.uriRepresentation())")
        result[uri, default: ""] += " version=\(version)"
      }
    }
    return result
  }

  /// Returns the values that a context reads with as few requests as possible.
  private static func known(in stack: ConformanceStack) throws -> [String: Int64?] {
    let context = stack.makeContext()
    var result: [String: Int64?] = [:]
    for id in try stack.makeContext().fetch(FetchRequest<ObjectID>(entityName: "Node")) {
      let node = try context.existingObject(with: id)
      result[place("\(id.uriRepresentation())")] = try node.number("size")
    }
    return result
  }

  private static func history(of stack: ConformanceStack) throws -> [String] {
    try stack.history().map { transaction in
      (transaction.changes ?? []).map { change in
        let properties = (change.updatedProperties ?? []).map(\.name).sorted()
        let tombstone = (change.tombstone ?? [:]).sorted { $0.key < $1.key }
          .map { "\($0.key)=\($0.value)" }
        return "\(change.changeType) \(place("\(change.changedObjectID.uriRepresentation())")) "
          + (properties + tombstone).joined(separator: ",")
      }.sorted().joined(separator: "\n")
    }
  }

  /// A URI without its store.
  static func place(_ uri: String) -> String {
    uri.split(separator: "/").suffix(2).joined(separator: "/")
  }
}

/// A batch request, and its description.
struct BatchQuestion: CustomStringConvertible {
  let description: String
  let ask: (ConformanceStack) throws -> [ObjectID]

  /// The records, or the error.
  fileprivate func answer(in stack: ConformanceStack) throws -> [String] {
    do {
      return try ask(stack).map { BatchDuel.place("\($0.uriRepresentation())") }.sorted()
    } catch let error as PersistenceError {
      let ids = error.objectIDs.map { BatchDuel.place("\($0.uriRepresentation())") }
      return ["\(error.code)", error.key ?? ""] + ids.sorted()
    }
  }
}
