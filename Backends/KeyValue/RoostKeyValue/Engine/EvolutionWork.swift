// SPDX-License-Identifier: Apache-2.0

import RoostStore

/// What an engine does to bring a store to another version of its model.
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
  /// Fills a batch: called once, and again when the engine has to begin again.
  ///
  /// The snapshot shows the state before the change throughout, whatever was handed over already. The batch can be
  /// handed over to the function that comes with it, which leaves it empty, or as it is when the engine writes
  /// everything at the end; what is left in it at the end is written too.
  public let write:
    (any KeyValueSnapshot, inout WriteBatch, @escaping (inout WriteBatch) throws -> Void) throws ->
      Void
  /// Judges what was written, before it is made valid: called with the state before the change, and with that after it,
  /// whose rows have the layouts of the destination. What it throws ends the change, of which nothing remains.
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
