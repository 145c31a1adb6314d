// SPDX-License-Identifier: Apache-2.0

import Foundation
public import RoostContainers
import RoostModel
public import RoostObjects

// Transactions: work that is saved as a whole, and retried after conflicts.
extension PersistentContainer {
  /// Runs work on a new background context, saves, and retries both when the save conflicts with other writers.
  ///
  /// ```swift
  /// let balance = try container.transaction { context in
  ///   let account = try context.existingObject(Account.self, with: id)
  ///   account.balance -= 10
  ///   return account.balance
  /// }
  /// ```
  /// Each attempt has a new context, which reads the current state of the stores, so the work must be repeatable: it
  /// bases its decisions on reads in the context, it neither saves nor executes batch requests, which are committed at
  /// once, and it has no side effects that cannot be undone.
  /// The delay between attempts grows, and is randomised so that writers do not collide again.
  ///
  /// A save is retried if it throws
  /// - `managedObjectMerge`: a record was changed meanwhile;
  /// - `managedObjectConstraintMerge`, as long as a different record holds the unique value each time: `findOrCreate`
  ///   finds it in the next attempt. Work that requests the value of the same record again gets the error;
  /// - `storeBusy`, `persistentStoreTimeout` or `saveInDoubt`;
  /// - `readFailed`, where each read failed with `storeBusy` or `persistentStoreTimeout`.
  ///
  /// Errors of the work itself are not retried, even these, nor is any error of the save if the work has saved before
  /// or executed a batch request: a second attempt would apply it twice. `commitOutcomeUnknown` and
  /// `persistentStoreIncompleteSave` are never retried, because something may have been written.
  ///
  /// - Parameters:
  ///   - retries: The maximum number of retries, 0 or more.
  ///   - timeout: The time that all attempts may take together, waiting included; nil for any. It becomes the
  ///     ``ManagedObjectContext/deadline`` of each attempt's context, and no attempt begins later.
  ///   - fileID: The file to which instruments attribute the requests.
  ///   - line: The line to which instruments attribute the requests.
  ///   - body: The work. Its result must not be an object of the context: return IDs or values.
  /// - Returns: The result of the attempt that was saved.
  /// - Throws: What the work throws, and the error of the last save; ``PersistenceError`` with code
  ///   `persistentStoreTimeout` when `timeout` ends during an attempt, which writes nothing; `readFailed` when it ends
  ///   where a property is read, which cannot throw.
  /// - Complexity: The caller's thread is blocked. One context for each attempt.
  @discardableResult
  public final func transaction<T>(
    retries: Int = 5, timeout: Duration? = nil, fileID: String = #fileID, line: Int = #line,
    _ body: (ManagedObjectContext) throws -> T
  ) throws -> T {
    var retry = Self.retry(retries, timeout)
    let attempt = TransactionAttempt(
      callSite: CallSite(fileID: fileID, line: line), deadline: retry.deadline)
    while true {
      let context = newBackgroundContext()
      attempt.configure(context)
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

  /// Runs work on the queue of a new background context, saves, and retries both when the save conflicts with other
  /// writers. The blocking form describes what is retried.
  ///
  /// ```swift
  /// try await container.transaction(retries: 10) { context in
  ///   let counter = try context.findOrCreate(Counter.self, \.name, "visits")
  ///   counter.value += 1
  /// }
  /// ```
  /// - Parameters:
  ///   - retries: The maximum number of retries, 0 or more.
  ///   - timeout: The time that all attempts may take together, waiting included; nil for any. It becomes the
  ///     ``ManagedObjectContext/deadline`` of each attempt's context, and no attempt begins later.
  ///   - fileID: The file to which instruments attribute the requests.
  ///   - line: The line to which instruments attribute the requests.
  ///   - body: The work. Its result must not be an object of the context: return IDs or values.
  /// - Returns: The result of the attempt that was saved.
  /// - Throws: As the blocking form; ``PersistenceError`` with code `userCancelled` when the task is cancelled.
  /// - Complexity: No thread is blocked. One context for each attempt.
  @discardableResult
  public final func transaction<T>(
    retries: Int = 5, timeout: Duration? = nil, fileID: String = #fileID, line: Int = #line,
    _ body: @escaping @Sendable (ManagedObjectContext) throws -> sending T
  ) async throws -> sending T {
    var retry = Self.retry(retries, timeout)
    let attempt = TransactionAttempt(
      callSite: CallSite(fileID: fileID, line: line), deadline: retry.deadline)
    while true {
      let outcome: TransactionOutcome<T> = await performBackgroundTask { context in
        attempt.configure(context)
        // The result belongs to this attempt alone, and is transferred to the caller.
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

  /// Runs asynchronous work on the queue of a new background context, saves, and retries both when the save conflicts
  /// with other writers. The blocking form describes what is retried.
  ///
  /// ```swift
  /// try await container.transaction { context in
  ///   let order = try context.existingObject(Order.self, with: id)
  ///   order.price = try await quote(order.number)
  /// }
  /// ```
  /// - Parameters:
  ///   - retries: The maximum number of retries, 0 or more.
  ///   - timeout: The time that all attempts may take together, waiting included; nil for any. It becomes the
  ///     ``ManagedObjectContext/deadline`` of each attempt's context, and no attempt begins later.
  ///   - fileID: The file to which instruments attribute the requests.
  ///   - line: The line to which instruments attribute the requests.
  ///   - body: The work. Its result must not be an object of the context: return IDs or values.
  /// - Returns: The result of the attempt that was saved.
  /// - Throws: As the blocking form; ``PersistenceError`` with code `userCancelled` when the task is cancelled.
  /// - Complexity: No thread is blocked. One context for each attempt.
  @_disfavoredOverload
  @discardableResult
  public final func transaction<T>(
    retries: Int = 5, timeout: Duration? = nil, fileID: String = #fileID, line: Int = #line,
    _ body: nonisolated(nonsending) @Sendable (ManagedObjectContext) async throws -> sending T
  ) async throws -> sending T {
    var retry = Self.retry(retries, timeout)
    let attempt = TransactionAttempt(
      callSite: CallSite(fileID: fileID, line: line), deadline: retry.deadline)
    while true {
      let actor = ContextActor(coordinator: persistentStoreCoordinator)
      let outcome: TransactionOutcome<T> = await actor.perform { context in
        attempt.configure(context)
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

  private static func retry(_ limit: Int, _ timeout: Duration?) -> TransactionRetry {
    precondition(limit >= 0, "A transaction cannot be tried again less than 0 times.")
    return TransactionRetry(limit: limit, deadline: timeout.map { .now + $0 })
  }

  /// Returns the delay before the next attempt.
  ///
  /// - Throws: The error of the save when there is no further attempt.
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
