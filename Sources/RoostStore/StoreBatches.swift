// SPDX-License-Identifier: Apache-2.0

/// The ability of a store to change or remove many records without anybody reading them first.
///
/// A request that a store cannot carry out with exactly the meaning that it has elsewhere is answered with nil: then
/// the coordinator reads the records and commits a change set. So a store takes what its engine does well, and says no
/// to everything else.
///
/// The request and what the history says of it are one transaction, as in a commit. The versions of changed records
/// grow by one each, whatever was changed of them.
///
/// ```swift
/// func update(_ batch: StoreBatchUpdate) throws -> BatchReceipt? {
///   guard batch.computed.isEmpty, !keepsHistory else { return nil }
///   return BatchReceipt(updated: try table.change(batch.fetch, to: batch.values))
/// }
/// ```
public protocol StoreBatches: Sendable {
  /// Gives records new values.
  ///
  /// - Parameter batch: Which records, and what they are to hold.
  /// - Returns: What was done; nil when the store cannot do it, and nothing was written. A value that is out of its
  ///   attribute's range, or that another record must not have too, is such a case: who goes through the records can
  ///   say which one it is.
  /// - Throws: What a commit throws.
  /// - Complexity: One transaction with a fixed number of statements.
  func update(_ batch: StoreBatchUpdate) throws -> BatchReceipt?

  /// Removes records, and does what the delete rules of their relationships say: cascade and nullify; deny is done as
  /// nullify.
  ///
  /// - Parameter batch: Which records.
  /// - Returns: What was done; nil when the store cannot do it, and nothing was written.
  /// - Throws: What a commit throws.
  /// - Complexity: One transaction, with a fixed number of statements for each step of a cascade.
  func delete(_ batch: StoreBatchDelete) throws -> BatchReceipt?
}

extension StoreBatches {
  /// Nil: the coordinator reads the records and commits them.
  public func update(_ batch: StoreBatchUpdate) throws -> BatchReceipt? { nil }

  /// Nil: the coordinator reads the records and commits their removal.
  public func delete(_ batch: StoreBatchDelete) throws -> BatchReceipt? { nil }
}

extension PersistentStore {
  /// Nil: the store changes records by commits only.
  public var batches: (any StoreBatches)? { nil }
}
