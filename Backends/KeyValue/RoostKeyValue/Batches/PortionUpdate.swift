// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery
import RoostStore

/// Makes the new rows of a batch update.
struct PortionUpdate {
  private let batch: StoreBatchUpdate
  private let slots: [RowSlot]
  private let evaluator: ColumnEvaluator<SnapshotSource>?

  init(_ batch: StoreBatchUpdate, _ source: SnapshotSource) throws {
    self.batch = batch
    slots = batch.values.map(\.slot) + batch.computed.map(\.slot)
    guard !batch.computed.isEmpty else {
      evaluator = nil
      return
    }
    let columns = batch.computed.map { change in
      ResolvedColumns.Column(
        name: change.attribute.name, expression: change.expression, isAggregate: false,
        type: change.attribute.type)
    }
    evaluator = try ColumnEvaluator(ResolvedColumns(columns: columns), source: source)
  }

  /// - Throws: `BatchImpossible` for a value that its attribute cannot have.
  func updates(of rows: [Row]) throws -> [RowUpdate] {
    let computed = try evaluator?.tuples(rows) ?? []
    return try rows.enumerated().map { index, base in
      let row = base.copy(version: base.version &+ 1)
      for change in batch.values { try row.setValue(change.value, at: change.slot) }
      for (place, change) in batch.computed.enumerated() {
        let value = computed[index * batch.computed.count + place]
        guard let checked = try? ValueCheck.check(value, for: change.attribute) else {
          throw BatchImpossible()
        }
        try row.setValue(checked, at: change.slot)
      }
      let changed = slots.filter { !row.equals(base, at: $0) }.map(\.index).sorted()
      return RowUpdate(row: row, baseVersion: base.version, changedSlots: changed)
    }
  }
}
