// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

/// A fast check of one attribute. Most attributes have no rule but their type's, which is checked in the row without
/// creating a `Value`.
struct AttributeCheck {
  let slot: RowSlot?
  let isRequired: Bool
  let range: ClosedRange<Int64>
  /// The checks of the elements of a composite without rules of its own.
  let elements: [AttributeCheck]

  /// - Parameter hasHook: Whether the class has a validation method for the attribute.
  init(of attribute: AttributeDescription, hasHook: Bool) {
    let hasRules =
      hasHook || attribute.minValue != nil || attribute.maxValue != nil
      || attribute.minLength != nil || attribute.maxLength != nil
      || attribute.regularExpression != nil || !attribute.validationPredicates.isEmpty
    slot = hasRules ? nil : attribute.slot
    range =
      switch attribute.type {
      case .integer16: Int64(Int16.min)...Int64(Int16.max)
      case .integer32: Int64(Int32.min)...Int64(Int32.max)
      default: Int64.min...Int64.max
      }
    isRequired = !attribute.isOptional && !attribute.isTransient
    let composite = hasRules ? nil : attribute as? CompositeAttributeDescription
    elements =
      composite?.elementAttributes.map { AttributeCheck(of: $0, hasHook: false) } ?? []
  }

  /// Whether the value is certainly valid; if false, the full rules have to run.
  func accepts(_ row: Row) -> Bool {
    guard let slot else {
      return !elements.isEmpty && elements.allSatisfy { $0.accepts(row) }
        && !(isRequired && isNothing(row))
    }
    if row.isNull(slot) { return !isRequired }
    switch slot.kind {
    case .boolean, .uuid: return true
    case .integer: return range.contains(row.integer(slot))
    case .double, .date: return row.double(slot) == row.double(slot)
    case .string: return AttributeCheck.hasNoNUL(row.base, slot)
    default: return false
    }
  }

  /// Whether nothing has a value.
  private func isNothing(_ row: Row) -> Bool {
    slot.map(row.isNull) ?? elements.allSatisfy { $0.isNothing(row) }
  }

  /// Whether there is no NUL in the text of a `string` slot.
  static func hasNoNUL(_ base: UnsafeMutableRawPointer, _ slot: RowSlot) -> Bool {
    RowMemory.withUTF8(base, slot) { bytes in
      guard let start = bytes.baseAddress else { return true }
      return memchr(start, 0, bytes.count) == nil
    }
  }
}
