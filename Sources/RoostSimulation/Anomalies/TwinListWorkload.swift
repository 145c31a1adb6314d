// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostModel
package import RoostObjects
import RoostQuery
package import RoostStore

/// Transactions on a few lists, each of which is in several stores: a value is appended to a list in all of them, by
/// one save. So the lists of one name are the same in all stores, in whatever order processes append to them.
///
/// The key of a list is that of its name times the number of stores, and the place of its store.
package struct TwinListWorkload: Sendable {
  /// Which of those that work at once this is.
  package var worker: Int
  /// How many transactions it does.
  package var count: Int
  /// How long it goes on with a server that does not answer, in seconds.
  package var patience = 60.0

  /// The number of names.
  package static let names = 2

  package init(worker: Int, count: Int) {
    self.worker = worker
    self.count = count
  }

  /// Makes the empty lists.
  package static func prepare(
    _ context: ManagedObjectContext, in stores: [any PersistentStore]
  ) throws {
    for name in 0..<names {
      for (place, store) in stores.enumerated() {
        let new = try context.make("Register", ["name": "\(name).\(place)", "list": ""])
        try context.assign(new, to: store)
      }
    }
    try context.save()
  }

  /// The lists of all stores, by one request.
  private static func registers(
    _ context: ManagedObjectContext, _ stores: Int
  ) throws -> [Int: ManagedObject] {
    context.reset()
    context.stalenessInterval = 0
    let request = try context.request("Register", nil, [])
    request.returnsObjectsAsFaults = false
    var registers: [Int: ManagedObject] = [:]
    for register in try context.fetch(request) {
      let parts = try register.text("name")?.split(separator: ".").compactMap { Int($0) } ?? []
      guard parts.count == 2 else { continue }
      registers[parts[0] * stores + parts[1]] = register
    }
    return registers
  }

  /// The lists as they are.
  package static func lists(
    _ context: ManagedObjectContext, stores: Int
  ) throws -> [Int: [Int]] {
    try registers(context, stores).mapValues { try ListWorkload.values(of: $0) }
  }

  /// A list that is not the same in all stores.
  package static func difference(in lists: [Int: [Int]], stores: Int) -> String? {
    for name in 0..<names {
      let twins = (0..<stores).map { lists[name * stores + $0] ?? [] }
      // The value of a transaction in a store ends with the number of that.
      let values = twins.map { $0.map { $0 / 16 } }
      if Set(values).count > 1 { return "list \(name) is \(twins)" }
    }
    return nil
  }

  /// Does the transactions.
  ///
  /// - Parameters:
  ///   - begin: Called with each before it is saved, its outcome unknown: the process may be killed then.
  ///   - end: Called with each after it was committed or aborted.
  /// - Throws: What a store says for longer than ``patience``.
  package func run(
    _ context: ManagedObjectContext, stores: Int, begin: (ListTransaction) throws -> Void,
    end: (ListTransaction) throws -> Void
  ) throws {
    var random = SplitMix64(seed: UInt64(worker) + 1)
    var done = 0
    var lastSuccess = ContinuousClock.now
    while done < count {
      do {
        try end(
          transact(
            context, stores, firstValue: (worker * 100_000 + done) * 16, &random, begin: begin))
        done += 1
        lastSuccess = .now
      } catch let error as PersistenceError {
        // Nothing was saved: a store cannot be reached, or waits for another one.
        guard ContinuousClock.now - lastSuccess < .seconds(patience) else { throw error }
        Thread.sleep(forTimeInterval: 0.05)
      }
    }
  }

  private func transact(
    _ context: ManagedObjectContext, _ stores: Int, firstValue: Int, _ random: inout SplitMix64,
    begin: (ListTransaction) throws -> Void
  ) throws -> ListTransaction {
    let registers = try Self.registers(context, stores)
    var transaction = ListTransaction()
    if random.below(4) == 0 {
      // Who only looks sees all stores as of one moment.
      for (key, register) in registers {
        transaction.reads.append(.init(key, try ListWorkload.values(of: register)))
      }
      return transaction
    }
    let name = random.below(Self.names)
    for place in 0..<stores {
      let key = name * stores + place
      guard let register = registers[key] else { continue }
      transaction.reads.append(.init(key, try ListWorkload.values(of: register)))
      try ListWorkload.append(firstValue + place, to: register)
      transaction.appends.append(.init(key, firstValue + place))
    }
    transaction.outcome = .unknown
    try begin(transaction)
    do {
      try context.save()
      transaction.outcome = .committed
    } catch let error as PersistenceError where error.code == .commitOutcomeUnknown {
      return transaction
    } catch is PersistenceError {
      // Whatever it was, no store has it.
      transaction.outcome = .aborted
    }
    return transaction
  }
}
