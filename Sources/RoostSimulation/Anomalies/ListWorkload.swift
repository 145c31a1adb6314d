// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
package import RoostModel
package import RoostObjects
import RoostQuery

/// Transactions on a few lists, for many contexts at once, in threads and processes.
package struct ListWorkload: Sendable {
  /// The number of this worker among those that run at once.
  package var worker: Int
  /// The number of transactions.
  package var count: Int
  /// Whether everything that a transaction read is checked when it is saved.
  package var isChecked: Bool

  /// The number of lists.
  package static let lists = 4

  package init(worker: Int, count: Int, isChecked: Bool) {
    self.worker = worker
    self.count = count
    self.isChecked = isChecked
  }

  /// One entity with a list in a string.
  ///
  /// - Parameter isUnique: Whether the names must be unique.
  package static func makeModel(isUnique: Bool = false) -> ManagedObjectModel {
    var sketch = ModelSketch()
    sketch.add(
      "Register", [.string("name"), .string("list")], unique: isUnique ? [["name"]] : [])
    return sketch.make()
  }

  /// Makes the empty lists.
  package static func prepare(_ context: ManagedObjectContext) throws {
    for key in 0..<lists { try context.make("Register", ["name": "\(key)", "list": ""]) }
    try context.save()
  }

  /// Returns the current lists.
  package static func lists(_ context: ManagedObjectContext) throws -> [Int: [Int]] {
    context.reset()
    context.stalenessInterval = 0
    var lists: [Int: [Int]] = [:]
    for key in 0..<Self.lists {
      lists[key] = try values(of: context.named("Register", "\(key)"))
    }
    return lists
  }

  package static func values(of register: ManagedObject) throws -> [Int] {
    (try register.text("list") ?? "").split(separator: ",").compactMap { Int($0) }
  }

  /// Appends a value to a list.
  package static func append(_ value: Int, to register: ManagedObject) throws {
    let list = try values(of: register) + [value]
    try register.set("list", list.map(String.init).joined(separator: ","))
  }

  /// Does the transactions.
  ///
  /// - Parameter note: Called with each, after it was committed or aborted.
  package func run(
    _ context: ManagedObjectContext, note: (ListTransaction) throws -> Void
  ) throws {
    var random = SplitMix64(seed: UInt64(worker) + 1)
    for number in 0..<count {
      try note(transact(context, firstValue: (worker * count + number) * 10, &random))
    }
  }

  private func transact(
    _ context: ManagedObjectContext, firstValue: Int, _ random: inout SplitMix64
  ) throws -> ListTransaction {
    context.reset()
    context.stalenessInterval = 0
    var transaction = ListTransaction()
    var keys = Array(0..<Self.lists)
    keys.shuffle(using: &random)
    for (index, key) in keys.prefix(1 + random.below(3)).enumerated() {
      let register = try context.named("Register", "\(key)")
      transaction.reads.append(.init(key, try Self.values(of: register)))
      if isChecked { context.detectConflicts(for: register) }
      // A transaction that only reads has nothing to save, so a checked record is usually written too.
      guard index == 0 || random.below(2) == 0 else { continue }
      for _ in 0...random.below(2) {
        let value = firstValue + transaction.appends.count
        try Self.append(value, to: register)
        transaction.appends.append(.init(key, value))
      }
    }
    do {
      try context.save()
    } catch let error as PersistenceError where error.code == .managedObjectMerge {
      transaction.outcome = .aborted
    } catch let error as PersistenceError where error.code == .commitOutcomeUnknown {
      transaction.outcome = .unknown
    }
    return transaction
  }
}
