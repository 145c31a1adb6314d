// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostObjects

/// The outcome of an attempt of a transaction.
enum TransactionOutcome<Value> {
  case saved(Value)
  /// The body threw, and nothing was saved.
  case refused(any Error)
  /// The save threw.
  case failed(TransactionFailure)

  /// Runs a body, and saves the context.
  init(of body: () throws -> Value, in context: ManagedObjectContext) {
    do {
      let value = try body()
      self = Self.saving(value, in: context)
    } catch {
      self = .refused(error)
    }
  }

  /// Saves a context after its body returned a value.
  static func saving(_ value: Value, in context: ManagedObjectContext) -> Self {
    let savedBefore = context.hasCommitted
    do {
      try context.save()
      return .saved(value)
    } catch {
      let conflicts = (error as? PersistenceError)?.conflicts(in: context) ?? []
      let holders = conflicts.compactMap { ($0 as? ConstraintConflict)?.databaseObject?.objectID }
      return .failed(
        TransactionFailure(error: error, holders: Set(holders), savedBefore: savedBefore))
    }
  }
}
