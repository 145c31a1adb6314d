// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostModel
import RoostObjects
import RoostQuery
import RoostSimulation

/// Makes random batch requests about a ``BatchModel``.
struct BatchWords {
  private var numbers: SplitMix64

  init(seed: UInt64) {
    numbers = SplitMix64(seed: seed)
  }

  mutating func next() -> UInt64 { numbers.next() }

  mutating func below(_ bound: Int) -> Int { numbers.below(bound) }

  private mutating func pick<Element>(_ elements: [Element]) -> Element {
    elements[numbers.below(elements.count)]
  }

  mutating func request() throws -> BatchQuestion {
    switch below(10) {
    case 0..<6: try nodeUpdate()
    case 6: try tagUpdate()
    case 7: try removal(of: pick(["House", "Room", "Latch", "Tag"]), "name != 'r1'")
    case 8: try removal(of: pick(["Node", "Leaf"]), pick(Self.conditions) ?? "size > 5")
    default: removalOfSome()
    }
  }

  // MARK: - Updates

  private static let conditions: [String?] = [
    nil, "size > 4", "size >= 0 AND real < 10", "parent.size > 3", "ANY children.size > 2",
    "note BEGINSWITH 'a'", "note == nil", "name LIKE '*1*'", "money > 0.5", "tags.@count > 0",
    "isOn == YES", "friends.@count == 0", "note CONTAINS[cd] 'E'", "real == nil OR wide > 5",
    "NOT (size > 4)", "parent != nil AND parent.parent == nil", "size IN {0, 5, 9}", "small < size",
  ]
  private static let constants: [(String, [any Sendable])] = [
    ("small", [3, NSNull(), 40_000]), ("size", [5, NSNull(), -1]), ("wide", [Int.min, 4]),
    ("real", [0.5, NSNull(), -0.0, Double.infinity]), ("ratio", [0.1, NSNull()]),
    ("note", ["", "apple", "e\u{301}", NSNull(), "\u{e9}"]), ("isOn", [true, NSNull()]),
    ("money", [Decimal(7), Decimal(string: "0.1") ?? 0]), ("name", ["n"]),
    ("made", [Date(timeIntervalSinceReferenceDate: 60), Date(timeIntervalSinceReferenceDate: 0)]),
    ("code", [UUID(uuid: (1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15, 16))]),
  ]
  private static let expressions: [(String, [String])] = [
    ("small", ["small", "small + 1", "size"]),
    ("size", ["size + 1", "size * 3", "small", "wide", "size - small", "size / small"]),
    ("wide", ["wide + size", "wide * 2", "wide - 1", "size", "size * size"]),
    (
      "real",
      [
        "real * 2", "real + size", "size", "wide", "real - real", "real / 3", "real * 10", "-real",
        "ratio", "real * 0",
      ]
    ),
    ("ratio", ["ratio", "real"]), ("note", ["uppercase:(note)", "name", "note"]),
    ("money", ["money", "money * 3", "size"]), ("made", ["made", "made + 60", "made - 60"]),
    ("isOn", ["isOn"]), ("code", ["code"]),
    ("name", ["note", "TERNARY(size > 3, note, name)", "parent.name"]),
  ]

  private mutating func nodeUpdate() throws -> BatchQuestion {
    var values: [AnyHashable: Any] = [:]
    var texts: [String] = []
    for _ in 0..<(1 + below(3)) {
      if below(2) == 0 {
        let (name, constants) = pick(Self.constants)
        values[name] = pick(constants)
      } else {
        let (name, expressions) = pick(Self.expressions)
        values[name] = try FetchExpression(format: pick(expressions))
      }
    }
    for (name, value) in values { texts.append("\(name) = \(value)") }
    let entity = pick(["Node", "Node", "Leaf"])
    return try update(entity, pick(Self.conditions), values, texts, whole: below(3) > 0)
  }

  private mutating func tagUpdate() throws -> BatchQuestion {
    let values: [AnyHashable: Any] =
      below(2) == 0 ? ["name": "same"] : ["name": try FetchExpression(format: "uppercase:(name)")]
    let condition = pick([nil, "name ENDSWITH '1'", "seen.size > 3"])
    return try update("Tag", condition, values, ["\(values)"], whole: true)
  }

  private func update(
    _ entity: String, _ condition: String?, _ values: [AnyHashable: Any], _ texts: [String],
    whole: Bool
  ) throws -> BatchQuestion {
    let predicate = try condition.map { try FetchPredicate($0) }
    let what = "update of \(entity) where \(condition ?? "any"): \(texts.sorted())"
    return BatchQuestion(description: what + (whole ? "" : " without subentities")) { stack in
      let request = BatchUpdateRequest(entityName: entity)
      request.predicate = predicate
      request.propertiesToUpdate = values
      request.includesSubentities = whole
      request.resultType = .updatedObjectIDsResultType
      return try stack.context.execute(request).objectIDs ?? []
    }
  }

  // MARK: - Deletions

  private mutating func removal(of entity: String, _ condition: String) throws -> BatchQuestion {
    let (limit, offset, descends) = (below(6), below(3), below(2) == 0)
    let what = "removal of \(limit) of \(entity) after \(offset) where \(condition)"
    return BatchQuestion(description: what) { stack in
      let fetch = try stack.context.request(entity, condition, [])
      // Several records have the same name.
      fetch.sortDescriptors = [SortOrdering("name", ascending: !descends)]
      fetch.fetchOffset = offset
      fetch.fetchLimit = limit
      return try Self.removed(BatchDeleteRequest(fetchRequest: fetch), in: stack)
    }
  }

  private mutating func removalOfSome() -> BatchQuestion {
    let (entity, first, step) = (pick(["Node", "House", "Tag"]), below(5), 1 + below(6))
    return BatchQuestion(description: "removal of every \(step)th \(entity) from \(first)") {
      stack in
      let all = try stack.makeContext().fetch(FetchRequest<ObjectID>(entityName: entity))
        .filter { $0.entity.name == entity }
      let some = stride(from: first, to: all.count, by: step).prefix(3).map { all[$0] }
      return try Self.removed(BatchDeleteRequest(objectIDs: some + some), in: stack)
    }
  }

  private static func removed(
    _ request: BatchDeleteRequest, in stack: ConformanceStack
  ) throws -> [ObjectID] {
    request.resultType = .resultTypeObjectIDs
    return try stack.context.execute(request).objectIDs ?? []
  }
}
