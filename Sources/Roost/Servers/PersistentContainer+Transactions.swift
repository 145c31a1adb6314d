// SPDX-License-Identifier: Apache-2.0

import Foundation
public import RoostContainers
import RoostModel
public import RoostObjects

// Work that is saved as a whole, and done again where others were faster.
extension PersistentContainer {
  /// Runs work on a new background context, saves, and does both again where the save has met the writes of others.
  ///
  /// ```swift
  /// let balance = try container.transaction { context in
  ///   let account = try context.existingObject(Account.self, with: id)
  ///   account.balance -= 10
  ///   return account.balance
  /// }
  /// ```
  /// Each attempt has a context of its own, which reads what the store has by then, so the work must be fit to be done
  /// several times: it reads what it decides by in the context, it does not save, and it does nothing that cannot be
  /// undone. The attempts wait longer each time, by times that differ from writer to writer.
  ///
  /// What is tried again is a save that throws
  /// - `managedObjectMerge`: a record was changed meanwhile;
  /// - `managedObjectConstraintMerge`, as long as each time another record has the unique value: `findOrCreate` finds
  ///   it in the next attempt. Work that asks for the value of the same record again gets the error;
  /// - `storeBusy` or `persistentStoreTimeout`.
  ///
  /// An error of the work itself is thrown as it is, also one of these, and so is any error of the save after work that
  /// has saved by itself. `commitOutcomeUnknown` and `persistentStoreIncompleteSave` are never tried again: something
  /// may have been written.
  ///
  /// - Parameters:
  ///   - retries: How often the work may be done again, 0 or more.
  ///   - body: The work. What it returns must not be an object of the context: return IDs or values.
  /// - Returns: What the work of the attempt that was saved has returned.
  /// - Throws: What the work throws, and what `save` throws when it is not tried again.
  /// - Complexity: The caller's thread waits. One context an attempt.
  @discardableResult
  public final func transaction<T>(
    retries: Int = 5, _ body: (ManagedObjectContext) throws -> T
  ) throws -> T {
    var retry = Self.retry(retries)
    while true {
      let context = newBackgroundContext()
      let outcome = context.performAndWait {
        TransactionOutcome(of: { try body(context) }, in: context)
      }
      switch outcome {
      case .saved(let value): return value
      case .refused(let error): throw error
      case .failed(let failure):
        let delay = try Self.delay(after: failure, &retry)
        Thread.sleep(forTimeInterval: delay / .seconds(1))
      }
    }
  }

  /// Runs work on the queue of a new background context, saves, and does both again where the save has met the writes
  /// of others: as the form that blocks its thread, which says what is tried again.
  ///
  /// ```swift
  /// try await container.transaction(retries: 10) { context in
  ///   let counter = try context.findOrCreate(Counter.self, \.name, "visits")
  ///   counter.value += 1
  /// }
  /// ```
  /// - Parameters:
  ///   - retries: How often the work may be done again, 0 or more.
  ///   - body: The work. What it returns must not be an object of the context: return IDs or values.
  /// - Returns: What the work of the attempt that was saved has returned.
  /// - Throws: As the form that blocks its thread; ``PersistenceError`` with code `userCancelled` when the task is
  ///   cancelled.
  /// - Complexity: No thread waits. One context an attempt.
  @discardableResult
  public final func transaction<T>(
    retries: Int = 5, _ body: @escaping @Sendable (ManagedObjectContext) throws -> sending T
  ) async throws -> sending T {
    var retry = Self.retry(retries)
    while true {
      let outcome: TransactionOutcome<T> = await performBackgroundTask { context in
        // What the body makes is this attempt's alone, and goes from here to the caller.
        nonisolated(unsafe) let outcome = TransactionOutcome<T>(
          of: { try body(context) }, in: context)
        return outcome
      }
      switch outcome {
      case .saved(let value): return value
      case .refused(let error): throw error
      case .failed(let failure): try await Self.wait(Self.delay(after: failure, &retry))
      }
    }
  }

  /// Runs work that waits for other tasks on the queue of a new background context, saves, and does both again where
  /// the save has met the writes of others: as the form that blocks its thread, which says what is tried again.
  ///
  /// ```swift
  /// try await container.transaction { context in
  ///   let order = try context.existingObject(Order.self, with: id)
  ///   order.price = try await quote(order.number)
  /// }
  /// ```
  /// - Parameters:
  ///   - retries: How often the work may be done again, 0 or more.
  ///   - body: The work. What it returns must not be an object of the context: return IDs or values.
  /// - Returns: What the work of the attempt that was saved has returned.
  /// - Throws: As the form that blocks its thread; ``PersistenceError`` with code `userCancelled` when the task is
  ///   cancelled.
  /// - Complexity: No thread waits. One context an attempt.
  @_disfavoredOverload
  @discardableResult
  public final func transaction<T>(
    retries: Int = 5,
    _ body: nonisolated(nonsending) @Sendable (ManagedObjectContext) async throws -> sending T
  ) async throws -> sending T {
    var retry = Self.retry(retries)
    while true {
      let actor = ContextActor(coordinator: persistentStoreCoordinator)
      let outcome: TransactionOutcome<T> = await actor.perform { context in
        do {
          return TransactionOutcome.saving(try await body(context), in: context)
        } catch {
          return .refused(error)
        }
      }
      switch outcome {
      case .saved(let value): return value
      case .refused(let error): throw error
      case .failed(let failure): try await Self.wait(Self.delay(after: failure, &retry))
      }
    }
  }

  private static func retry(_ limit: Int) -> TransactionRetry {
    precondition(limit >= 0, "A transaction cannot be tried again less than 0 times.")
    return TransactionRetry(limit: limit)
  }

  /// How long to wait before the next attempt.
  ///
  /// - Throws: The error of the save when there is none.
  private static func delay(
    after failure: TransactionFailure, _ retry: inout TransactionRetry
  ) throws -> Duration {
    var generator = SystemRandomNumberGenerator()
    guard let delay = retry.delay(after: failure, using: &generator) else { throw failure.error }
    return delay
  }

  private static func wait(_ delay: Duration) async throws {
    do {
      try await Task.sleep(for: delay)
    } catch {
      throw PersistenceError(
        .userCancelled, "The task was cancelled before the transaction was tried again.")
    }
  }
}
