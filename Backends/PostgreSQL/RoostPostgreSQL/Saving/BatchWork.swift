// SPDX-License-Identifier: Apache-2.0

import RoostStore

/// A batch request found no record: there is nothing to be committed.
struct NothingToWrite: Error {}

/// The statements of a batch request, as the transaction of a save runs them.
final class BatchWork {
  private let body: (PostgreSQLConnection) throws -> (BatchReceipt, StoreChangeSet)
  /// What the last attempt has done.
  private(set) var receipt: BatchReceipt?

  init(_ body: @escaping (PostgreSQLConnection) throws -> (BatchReceipt, StoreChangeSet)) {
    self.body = body
  }

  /// Runs the statements of a batch request, and commits them.
  ///
  /// - Parameter body: Runs them in the transaction that has begun; it may be called again. Returns what they have
  ///   done, and what the history says of it.
  /// - Returns: nil when the request cannot be carried out so, and nothing was written.
  static func run(
    _ terms: BatchTerms, in store: PostgreSQLStore,
    _ body: @escaping (PostgreSQLConnection) throws -> (BatchReceipt, StoreChangeSet)
  ) throws -> BatchReceipt? {
    guard !store.isReadOnly, !store.metadata.keepsPreviousValues else { return nil }
    let work = BatchWork(body)
    do {
      return try store.noticingPreparedParts(StoreChangeSet()) {
        _ = try SaveWriter(StoreChangeSet(), to: store, batch: work).run()
        store.noteCommit(of: StoreChangeSet())
        return work.receipt
      }
    } catch is BatchImpossible {
      return nil
    } catch is NothingToWrite {
      return work.receipt
    }
  }

  /// Begins the transaction and runs the statements; when that fails, the transaction is over.
  ///
  /// - Returns: What the history says of it.
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
  /// Whether a value was out of range, or is another record's: which one it is, the server does not say.
  fileprivate var refusesValue: Bool { isUniquenessViolation || isOutOfRange }
}
