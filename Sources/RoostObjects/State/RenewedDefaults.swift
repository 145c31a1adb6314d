// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The default values of a class that are computed for each object, such as `UUID()`.
struct RenewedDefaults {
  private let attributes: [(slot: RowSlot, make: @Sendable () -> Value)]
  /// The composites, with the slots of their elements in the order of the class.
  private let composites: [(slots: [RowSlot], make: @Sendable () -> Value)]

  init(of declaration: EntityDeclaration?, in layout: RowLayout) {
    let defaults = declaration?.renewedDefaults ?? []
    attributes = defaults.compactMap { initial in
      layout.slot(named: initial.name).map { ($0, initial.make) }
    }
    composites = defaults.compactMap { initial in
      declaration?.composite(named: initial.name).map { composite in
        (composite.slotNames(of: initial.name).compactMap(layout.slot(named:)), initial.make)
      }
    }
  }

  /// Computes the values for a new object.
  func fill(_ row: Row) {
    // If a slot cannot hold the value, the model's default stays.
    for renewed in attributes { try? row.setValue(renewed.make(), at: renewed.slot) }
    for renewed in composites {
      let values = renewed.make().elementValues(renewed.slots.count)
      for (slot, value) in zip(renewed.slots, values) { try? row.setValue(value, at: slot) }
    }
  }
}
