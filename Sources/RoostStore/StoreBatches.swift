// SPDX-License-Identifier: Apache-2.0

/// The ability of a store to update or delete many records without reading them first.
///
/// A store returns nil for a request that it cannot execute with exactly the common semantics: then the coordinator
/// reads the records and commits a change set. So a store supports what its engine does well, and declines everything
/// else.
///
/// The request and its history are one transaction, as in a commit. The version of each changed record is incremented
/// by one, whatever changed.
///
/// ```swift
/// func update(_ batch: StoreBatchUpdate) throws -> BatchReceipt? {
///   guard batch.computed.isEmpty, !keepsHistory else { return nil }
///   return BatchReceipt(updated: try table.change(batch.fetch, to: batch.values))
/// }
/// ```
public protocol StoreBatches: Sendable {
  /// Updates records.
  ///
  /// - Parameter batch: The records and their new values.
  /// - Returns: The receipt; nil when the store cannot execute it, and nothing was written. An out-of-range value or
  ///   a violated unique constraint is such a case, because the coordinator can then identify the record.
  /// - Throws: The errors of a commit.
  /// - Complexity: One transaction with a fixed number of statements.
  func update(_ batch: StoreBatchUpdate) throws -> BatchReceipt?

  /// Deletes records, and applies the delete rules of their relationships: cascade and nullify; deny is treated as
  /// nullify.
  ///
  /// - Parameter batch: The records to delete.
  /// - Returns: The receipt; nil when the store cannot execute it, and nothing was written.
  /// - Throws: The errors of a commit.
  /// - Complexity: One transaction, with a fixed number of statements for each step of a cascade.
  func delete(_ batch: StoreBatchDelete) throws -> BatchReceipt?
}

extension StoreBatches {
  /// Nil: the coordinator reads the records and commits them.
  public func update(_ batch: StoreBatchUpdate) throws -> BatchReceipt? { nil }

  /// Nil: the coordinator reads the records and commits their deletion.
  public func delete(_ batch: StoreBatchDelete) throws -> BatchReceipt? { nil }
}

extension PersistentStore {
  /// Nil: the store changes records by commits only.
  public var batches: (any StoreBatches)? { nil }
}
