// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// What an evolution writes: handed to the engine in portions, so that memory does not grow with the store.
struct EvolutionOutput {
  var batch = WriteBatch()
  private let write: (inout WriteBatch) throws -> Void

  /// About how many records or entries are handed over at a time.
  static let portion = 1_024
  /// How many records with values of any size are.
  private static let smallPortion = 64
  /// How many entries of an index are put in order before they are handed over: about 4 MB.
  static let entryPortion = 100_000

  /// Begins to write.
  ///
  /// - Parameter write: Hands a batch over and leaves it empty, or leaves it as it is when everything is handed over at
  ///   the end.
  init(_ change: SchemaChange, _ write: @escaping (inout WriteBatch) throws -> Void) {
    self.write = write
    batch.follow(change)
  }

  /// Writes or removes records, which are removed from the list, once they are many.
  ///
  /// - Parameter isLast: Whether there are no more of them.
  mutating func change(
    _ changes: inout [RecordChange], in layout: RowLayout? = nil, isLast: Bool = false
  ) throws {
    let limit = layout?.hasLargeValues ?? false ? Self.smallPortion : Self.portion
    guard isLast || changes.count >= limit else { return }
    batch.change(changes)
    changes.removeAll(keepingCapacity: true)
    try handOver()
  }

  /// Hands over what there is.
  mutating func handOver() throws {
    guard !batch.isEmpty else { return }
    try write(&batch)
  }
}

extension RowLayout {
  /// Whether values can be of any size.
  fileprivate var hasLargeValues: Bool {
    storedSlots.contains { $0.kind == .data || $0.kind == .transformable }
  }
}
