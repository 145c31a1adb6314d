// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// Output of a migration, flushed to the engine in portions so that memory does not grow with the store.
struct EvolutionOutput {
  var batch = WriteBatch()
  private let write: (inout WriteBatch) throws -> Void

  /// The approximate number of records or entries per flush.
  static let portion = 1_024
  /// The number of records per flush when their values can have any size.
  private static let smallPortion = 64
  /// The number of index entries that are sorted before they are flushed: about 4 MB.
  static let entryPortion = 100_000

  /// Makes an output for a migration.
  ///
  /// - Parameter write: Flushes a batch and empties it, or leaves it as it is when everything is written at the end.
  init(_ change: SchemaChange, _ write: @escaping (inout WriteBatch) throws -> Void) {
    self.write = write
    batch.follow(change)
  }

  /// Writes or removes the records of a list, and empties the list, once there are enough of them.
  ///
  /// - Parameter isLast: Whether these are the last ones.
  mutating func change(
    _ changes: inout [RecordChange], in layout: RowLayout? = nil, isLast: Bool = false
  ) throws {
    let limit = layout?.hasLargeValues ?? false ? Self.smallPortion : Self.portion
    guard isLast || changes.count >= limit else { return }
    batch.change(changes)
    changes.removeAll(keepingCapacity: true)
    try handOver()
  }

  /// Flushes the batch.
  mutating func handOver() throws {
    guard !batch.isEmpty else { return }
    try batch.checkSizes()
    try write(&batch)
  }
}

extension RowLayout {
  /// Whether values can be of any size.
  fileprivate var hasLargeValues: Bool {
    storedSlots.contains { $0.kind == .data || $0.kind == .transformable }
  }
}
