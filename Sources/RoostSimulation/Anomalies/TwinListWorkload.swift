// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostConformanceKit
import RoostCoordinator
import RoostModel
package import RoostObjects
import RoostQuery
package import RoostStore

/// A workload on a few lists that exist in several stores: one save appends a value to a list in all stores. The
/// lists of one name must therefore be equal in all stores, whatever the order in which processes append.
///
/// The key of a list is the number of its name times the number of stores, plus the index of its store.
package struct TwinListWorkload: Sendable {
  /// The number of this worker among the concurrent ones.
  package var worker: Int
  /// The number of transactions.
  package var count: Int
  /// The longest time of retries while a server does not respond, in seconds.
  package var patience = 60.0

  /// The number of names.
  package static let names = 2

  package init(worker: Int, count: Int) {
    self.worker = worker
    self.count = count
  }

  /// Creates the empty lists.
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

  /// Returns the lists of all stores, read by one request.
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

  /// Returns the current lists.
  package static func lists(
    _ context: ManagedObjectContext, stores: Int
  ) throws -> [Int: [Int]] {
    try registers(context, stores).mapValues { try ListWorkload.values(of: $0) }
  }

  /// Describes a list that differs between the stores; nil when there is none.
  package static func difference(in lists: [Int: [Int]], stores: Int) -> String? {
    for name in 0..<names {
      let twins = (0..<stores).map { lists[name * stores + $0] ?? [] }
      // The low four bits of a value are the index of its store.
      let values = twins.map { $0.map { $0 / 16 } }
      if Set(values).count > 1 { return "list \(name) is \(twins)" }
    }
    return nil
  }

  /// Runs the transactions.
  ///
  /// - Parameters:
  ///   - begin: Called with each transaction before its save, with an unknown outcome: the process may be killed
  ///     during the save.
  ///   - end: Called with each transaction after it was committed or aborted.
  /// - Throws: The error of a store, if it persists for longer than ``patience``.
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
        // Nothing was saved: a store is unreachable, or waits for another one.
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
      // A read-only transaction sees one snapshot of all stores.
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
      // After any other error, no store has the transaction.
      transaction.outcome = .aborted
    }
    return transaction
  }
}
