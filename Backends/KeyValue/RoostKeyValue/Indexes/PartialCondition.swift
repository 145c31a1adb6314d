// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The condition of a partial index on one slot of its rows.
struct PartialCondition: Sendable {
  var slot: RowSlot
  /// The name of the slot in its layout.
  var name: String
  var condition: SlotCondition

  /// The condition in words that are stored. They name the slot, since its index changes when attributes are declared
  /// in another order, which is no other version of a model.
  var signature: String {
    func text(_ value: [UInt8]) -> String {
      value.map { String($0, radix: 16) }.joined(separator: ".")
    }
    func text(_ bound: SlotCondition.Bound?) -> String {
      bound.map { text($0.value) + ($0.isInclusive ? " inclusive" : "") } ?? ""
    }
    let words =
      switch condition {
      case .anyOf(let values): "in " + values.map { text($0) }.joined(separator: " ")
      case .prefix(let bytes): "from " + text(bytes)
      case .range(let lower, let upper): "between \(text(lower)) and \(text(upper))"
      }
    return " where \(name):\(slot.kind.rawValue) \(words)"
  }

  /// Whether a row is in the index.
  func matches(_ row: Row) -> Bool {
    var code: [UInt8] = []
    if row.isNull(slot) {
      KeyEncoding.appendNull(to: &code)
    } else {
      KeyEncoding.append(row, slot, to: &code)
    }
    return condition.contains(code)
  }
}
