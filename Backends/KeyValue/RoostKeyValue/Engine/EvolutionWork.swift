// SPDX-License-Identifier: Apache-2.0

import RoostStore

/// The work of a model migration that the store passes to its engine.
///
/// ```swift
/// var batch = WriteBatch()
/// try work.write(before, &batch) { batch in
///   write(batch)
///   batch = WriteBatch()
/// }
/// write(batch)
/// try work.verify(before, after)
/// commit()
/// ```
public struct EvolutionWork {
  /// Fills a batch; the engine calls it once, and again for each retry.
  ///
  /// The snapshot shows the state before the migration throughout, whatever has been flushed already. The function
  /// that comes with the batch flushes and empties it, or leaves it as it is when the engine writes everything at the
  /// end; the engine also writes what is left in the batch when the call returns.
  public let write:
    (any KeyValueSnapshot, inout WriteBatch, @escaping (inout WriteBatch) throws -> Void) throws ->
      Void
  /// Verifies the migration before the engine commits it. It receives the state before the migration, and the state
  /// after it, whose rows have the layouts of the destination. An error rolls the whole migration back.
  public let verify: (any KeyValueSnapshot, any KeyValueSnapshot) throws -> Void

  package init(
    write:
      @escaping (
        any KeyValueSnapshot, inout WriteBatch, @escaping (inout WriteBatch) throws -> Void
      ) throws -> Void,
    verify: @escaping (any KeyValueSnapshot, any KeyValueSnapshot) throws -> Void
  ) {
    self.write = write
    self.verify = verify
  }
}
