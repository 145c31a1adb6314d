// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost

/// A description of what is wrong with a store.
struct Finding: Error, CustomStringConvertible {
  let description: String

  init(_ description: String) {
    self.description = description
  }

  static func require(_ truth: Bool, _ otherwise: @autoclosure () -> String) throws {
    guard truth else { throw Finding(otherwise()) }
  }
}

/// A bank in a store: makes steps through contexts, and compares the content with the expected state.
struct Bank {
  let container: PersistentContainer
  /// Whether the store records its transactions.
  private let keepsHistory: Bool

  /// Opens the store.
  init(_ description: PersistentStoreDescription) throws {
    keepsHistory = description.options[StoreOption.historyTracking] == .boolean(true)
    container = try PersistentContainer(
      name: "Bank", model: Self.model.get(), stores: [description])
    try container.loadPersistentStores()
  }

  /// Returns the model of the bank.
  static func sharedModel() throws -> ManagedObjectModel { try model.get() }

  // One model for all containers of the process; it is made on first use, and frozen.
  private static let model = Result {
    try ManagedObjectModel(Journal.self, Account.self, Entry.self, Label.self)
  }

  func close() {
    for store in container.persistentStoreCoordinator.persistentStores {
      try? container.persistentStoreCoordinator.remove(store)
    }
  }

  // MARK: - Writing

  /// The last step in the store.
  func last(_ context: ManagedObjectContext) throws -> Int64 {
    try context.fetch(Journal.where { $0.name == "bank" }).first?.last ?? 0
  }

  /// Makes the step after the last one, and saves it.
  func step(after last: Int64, _ context: ManagedObjectContext) throws {
    var state = BankState(after: last)
    let changes = state.advance()
    if last == 0 { try prepare(context) }
    for change in changes {
      switch change {
      case .add(let code, let item):
        let entry = Entry(context: context)
        entry.code = code
        try fill(entry, item, context)
      case .remove(let code): context.delete(try entry(code, context))
      case .set(let code, let item): try fill(try entry(code, context), item, context)
      }
    }
    context.processPendingChanges()
    // The read through the relationship cannot throw: a failed read must not lead to a wrong total.
    for account in try context.fetch(Account.fetchRequest()) {
      let total = account.entries.map(\.amount).reduce(0, +)
      if account.total != total { account.total = total }
    }
    guard let journal = try context.fetch(Journal.where { $0.name == "bank" }).first else {
      throw Finding("the journal is missing")
    }
    journal.last = last + 1
    try context.save()
  }

  private func prepare(_ context: ManagedObjectContext) throws {
    Journal(context: context).name = "bank"
    for number in 0..<BankState.accountCount { Account(context: context).number = number }
    for name in BankState.labels { Label(context: context).name = name }
  }

  private func entry(_ code: String, _ context: ManagedObjectContext) throws -> Entry {
    guard let entry = try context.fetch(Entry.where { $0.code == code }).first else {
      throw Finding("entry \(code) is missing")
    }
    return entry
  }

  private func fill(
    _ entry: Entry, _ item: BankState.Item, _ context: ManagedObjectContext
  ) throws {
    let number = item.account
    entry.amount = item.amount
    entry.note = Data(repeating: UInt8(truncatingIfNeeded: item.amount), count: item.noteSize)
    entry.account = try context.fetch(Account.where { $0.number == number }).first
    let name = item.label
    entry.labels = Set(try context.fetch(Label.where { $0.name == name }))
  }

  // MARK: - Reading

  /// Compares the content of the store with the expected state.
  ///
  /// - Parameter swallowsErrors: Whether it ignores a failed read, as a defective program would.
  /// - Returns: The last step in the store.
  func check(_ allowed: ClosedRange<Int64>, swallowsErrors: Bool = false) throws -> Int64 {
    let context = container.newBackgroundContext()
    do {
      return try compare(allowed, context, swallowsErrors: swallowsErrors)
    } catch let finding as Finding where !swallowsErrors {
      // Values read by accessors that cannot throw may be wrong as long as the context reports a failed read.
      context.insert(Label(context: context))
      do {
        try context.obtainPermanentIDs(for: [])
        try context.save()
      } catch let error as PersistenceError where !error.isValidation {
        throw error
      } catch {}
      throw finding
    }
  }

  private func compare(
    _ allowed: ClosedRange<Int64>, _ context: ManagedObjectContext, swallowsErrors: Bool
  ) throws -> Int64 {
    func read<Result>(_ otherwise: Result, _ body: () throws -> Result) throws -> Result {
      guard swallowsErrors else { return try body() }
      return (try? body()) ?? otherwise
    }
    let last = try read(0) { try self.last(context) }
    try Finding.require(allowed.contains(last), "step \(last) is there, and not \(allowed)")
    let state = BankState(after: last)
    let entries = try read([]) { try context.fetch(Entry.fetchRequest()) }
    try Finding.require(
      Set(entries.map(\.code)) == Set(state.items.keys) && entries.count == state.items.count,
      "after step \(last) there are the entries \(entries.map(\.code).sorted())")
    for entry in entries {
      guard let item = state.items[entry.code] else { continue }
      try Finding.require(
        entry.amount == item.amount && entry.note.count == item.noteSize
          && entry.note.allSatisfy { $0 == UInt8(truncatingIfNeeded: item.amount) }
          && entry.account?.number == item.account && entry.labels.map(\.name) == [item.label],
        "after step \(last) entry \(entry.code) is another one")
    }
    let count = try read(0) { try context.count(for: Entry.fetchRequest()) }
    try Finding.require(count == entries.count, "\(count) of \(entries.count) entries are counted")
    let large = try read([]) { try context.fetch(Entry.where { $0.amount >= 500 }) }
    try Finding.require(
      large.count == state.items.values.count { $0.amount >= 500 }, "the index is another one")
    let accounts = try read([]) { try context.fetch(Account.fetchRequest()) }
    try Finding.require(
      accounts.count == (last == 0 ? 0 : Int(BankState.accountCount)), "accounts are missing")
    for account in accounts {
      let sum = account.entries.map(\.amount).reduce(0, +)
      let total = state.total(of: account.number)
      try Finding.require(
        account.total == total && sum == total,
        "after step \(last) account \(account.number) has the total \(account.total) and entries of "
          + "\(sum), and not \(total)")
    }
    if keepsHistory {
      let request = PersistentHistoryChangeRequest.fetchHistory(
        after: nil as PersistentHistoryToken?)
      try compare(read([]) { try context.execute(request).transactions ?? [] }, to: last)
    }
    return last
  }
}

extension PersistenceError {
  /// Whether it consists of validation errors only; several errors of any kind are combined in one.
  fileprivate var isValidation: Bool {
    (1_550..<1_700).contains(code.rawValue) && underlyingErrors.allSatisfy(\.isValidation)
  }
}
