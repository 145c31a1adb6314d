// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import RoostModel

extension DerivationPlan {
  /// Returns the derived slots of an entity that can be recomputed from stored data: all except those with the time
  /// of the save.
  package func repeatableSlots(of entity: EntityDescription) -> [RowSlot] {
    rules(of: entity).compactMap { rule in
      if case .now = rule.kind { return nil }
      return rule.slot
    }
  }

  /// Computes some derived slots of rows.
  ///
  /// - Parameters:
  ///   - slots: The indices of the slots.
  ///   - rows: Rows of one concrete entity, not shared yet.
  ///   - source: The records that the values are computed from.
  ///   - time: The time of the save.
  /// - Throws: The errors of the source, and `arithmeticOverflow` for a sum or count that exceeds its type.
  package func derive(
    _ slots: Set<Int>, of rows: [Row], from source: some DerivationSource, time: Date
  ) throws {
    guard let first = rows.first else { return }
    for rule in rules(of: first.layout.entity) where slots.contains(rule.slot.index) {
      let values = try DerivationValues(rule: rule, records: source, time: time).values(of: rows)
      for (row, value) in zip(rows, values) {
        do {
          try row.setValue(ValueCheck.check(value, for: rule.attribute), at: rule.slot)
        } catch {
          throw PersistenceError(
            .arithmeticOverflow, "The computed value has no room in its type.",
            entityName: first.layout.entity.name, key: rule.attribute.name)
        }
      }
    }
  }
}
