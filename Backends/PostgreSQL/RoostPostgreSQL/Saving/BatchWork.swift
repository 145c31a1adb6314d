// SPDX-License-Identifier: Apache-2.0

import RoostStore

/// Thrown when a batch request matches no record: nothing has to be committed.
struct NothingToWrite: Error {}

/// The statements of a batch request, which run in the transaction of a save.
final class BatchWork {
  private let body: (PostgreSQLConnection) throws -> (BatchReceipt, StoreChangeSet)
  /// The receipt of the last attempt.
  private(set) var receipt: BatchReceipt?

  init(_ body: @escaping (PostgreSQLConnection) throws -> (BatchReceipt, StoreChangeSet)) {
    self.body = body
  }

  /// Runs the statements of a batch request, and commits them.
  ///
  /// - Parameter body: Runs the statements in the open transaction; it may be called again. Returns the receipt, and
  ///   the changes for the history.
  /// - Returns: nil when the request cannot be carried out by statements, and nothing was written.
  static func run(
    _ terms: BatchTerms, in store: PostgreSQLStore,
    _ body: @escaping (PostgreSQLConnection) throws -> (BatchReceipt, StoreChangeSet)
  ) throws -> BatchReceipt? {
    guard !store.isReadOnly, !store.metadata.keepsPreviousValues else { return nil }
    let work = BatchWork(body)
    do {
      return try store.noticingPreparedParts(StoreChangeSet()) {
        _ = try SaveWriter(StoreChangeSet(), to: store, batch: work).run()
        store.noteCommit(of: StoreChangeSet(), records: work.receipt?.count ?? 0)
        return work.receipt
      }
    } catch is BatchImpossible {
      return nil
    } catch is NothingToWrite {
      return work.receipt
    }
  }

  /// Begins the transaction and runs the statements; when they fail, the transaction is rolled back.
  ///
  /// - Returns: The changes for the history.
  /// - Throws: `BatchImpossible` also when the server refuses a value, `NothingToWrite`.
  func write(on connection: PostgreSQLConnection) throws -> StoreChangeSet {
    do {
      if !connection.isInTransaction { try connection.run(.begin) }
      let (receipt, changes) = try body(connection)
      self.receipt = receipt
      guard receipt.count > 0 else { throw NothingToWrite() }
      return changes
    } catch {
      if !connection.isBroken { try connection.rollBack() }
      if let error = error as? PostgreSQLError, error.refusesValue { throw BatchImpossible() }
      throw error
    }
  }
}

extension PostgreSQLError {
  /// Whether a value was out of range or violates a unique constraint: the server does not say whose value it was.
  fileprivate var refusesValue: Bool { isUniquenessViolation || isOutOfRange }
}
