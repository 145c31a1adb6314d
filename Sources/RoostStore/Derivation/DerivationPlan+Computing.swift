// SPDX-License-Identifier: Apache-2.0

package import Foundation
package import RoostModel

extension DerivationPlan {
  /// The slots of an entity's rows whose values can be computed again from what is stored: those of all derived
  /// attributes but the times of saves.
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
  ///   - rows: Rows of one concrete entity, which nobody else has yet.
  ///   - source: The records that the values are made of.
  ///   - time: What stands for the time of a save.
  /// - Throws: What the source throws, `arithmeticOverflow` for a sum or count without room in its type.
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
