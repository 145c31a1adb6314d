// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery
import RoostSimulation
import RoostStore

/// A walk of random saves that remembers the results after each of them.
struct PastWalk {
  /// The results at a point of the walk, with its token.
  struct Memory {
    var token: PersistentHistoryToken
    var answers: [String]
  }

  private let stack: ConformanceStack
  private var random: SplitMix64
  private var count = 0
  private(set) var memories: [Memory] = []

  init(on stack: ConformanceStack, seed: UInt64) {
    self.stack = stack
    random = SplitMix64(seed: seed)
  }

  private var context: ManagedObjectContext { stack.context }

  /// Saves something, and remembers the answers.
  mutating func step() throws {
    switch random.below(10) {
    case 0: try changeInBatch()
    case 1: try revert()
    default:
      for _ in 0...random.below(4) { try change() }
      try context.save()
    }
    memories.append(
      Memory(
        token: try stack.token(), answers: try PastQuestions.answers(of: stack.makeContext())))
  }

  private mutating func any(_ entityName: String) throws -> ManagedObject? {
    let all = try context.all(entityName).filter { !$0.isDeleted }
    return all.isEmpty ? nil : all[random.below(all.count)]
  }

  private mutating func some(_ entityName: String) throws -> [ManagedObject] {
    var all = try context.all(entityName).filter { !$0.isDeleted }
    all.shuffle(using: &random)
    return Array(all.prefix(random.below(5)))
  }

  private mutating func make(_ entityName: String, _ letter: String) throws {
    count += 1
    try context.make(entityName, ["name": "\(letter)\(count % 7)"])
  }

  private mutating func change() throws {
    switch random.below(20) {
    case 0, 1, 2: try make("Person", "p")
    case 3: try make("Department", "d")
    case 4:
      try make("Project", "j")
      try any("Project")?.set("priority", random.below(4))
    case 5: try make("Desk", "k")
    case 6: try make("Entry", "e")
    case 7: try make("List", "l")
    case 8: try make("Player", "y")
    case 9: try make("Team", "t")
    case 10: try any("Person")?.set("age", random.below(8))
    case 11: try any("Person")?.set("department", any("Department"))
    case 12: try any("Person")?.set("projects", Set(some("Project")))
    case 13: try any("Person")?.set("friends", Set(some("Person")))
    case 14:
      try any("Person")?.set("manager", any("Person"))
      try any("Person")?.set("desk", any("Desk"))
    case 15: try any("List")?.set("entries", some("Entry"))
    case 16: try any("List")?.set("favourites", some("Entry"))
    case 17: try any("Player")?.set("team", any("Team"))
    case 18:
      if let shop = try any("Shop") {
        try shop.set("sold", Set(some("Entry")))
        try shop.set("address.number", random.below(9))
      } else {
        try make("Shop", "s")
      }
    default:
      let names = ["Person", "Department", "Project", "Entry", "List", "Team", "Desk"]
      if let object = try any(names[random.below(names.count)]) { context.delete(object) }
    }
    context.processPendingChanges()
  }

  private mutating func changeInBatch() throws {
    let age = random.below(8)
    if random.below(3) == 0 {
      let request = FetchRequest<ObjectID>(entityName: "Person")
      request.predicate = try FetchPredicate("age == %@", age)
      try context.execute(BatchDeleteRequest(fetchRequest: request))
    } else {
      let update = BatchUpdateRequest(entityName: "Person")
      update.predicate = try FetchPredicate("age == %@ OR age == nil", age)
      update.propertiesToUpdate = ["age": random.below(8), "note": "batch"]
      try context.execute(update)
    }
    context.reset()
  }

  /// Reverts a recent transaction, with or without later changes in between.
  private mutating func revert() throws {
    let late = try stack.history().suffix(4)
    guard !late.isEmpty else { return }
    let transaction = late[late.startIndex + random.below(late.count)]
    _ = try context.revert(transaction, force: random.below(2) == 0)
    try context.save()
  }
}
