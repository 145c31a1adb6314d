// SPDX-License-Identifier: Apache-2.0

import Foundation
public import RoostModel

/// Reads a slot of an attribute as a value, where the kind is not known in advance.
///
/// ```swift
/// let value = SlotReader.value(row.base, slot)
/// ```
public enum SlotReader {
  /// Returns the value in a slot; ``Value/null`` when the property is nil, and for references, whose identity is
  /// known only to the item's source.
  public static func value(_ base: UnsafeMutableRawPointer, _ slot: RowSlot) -> Value {
    if RowMemory.isNull(base, slot) { return .null }
    switch slot.kind {
    case .integer, .position: return .integer(RowMemory.load(base, slot))
    case .boolean:
      let number: Int64 = RowMemory.load(base, slot)
      return .boolean(number != 0)
    case .double: return .double(RowMemory.load(base, slot))
    case .date: return .date(Date(timeIntervalSinceReferenceDate: RowMemory.load(base, slot)))
    case .string: return .string(RowMemory.load(base, slot))
    case .data: return .data(RowMemory.load(base, slot))
    case .uuid: return .uuid(RowMemory.load(base, slot))
    case .decimal: return .decimal(RowMemory.load(base, slot))
    case .uri:
      let box: URIBox? = RowMemory.load(base, slot)
      return box.map { .uri($0.url) } ?? .null
    case .transformable:
      let value: TransformableValue? = RowMemory.load(base, slot)
      return value.map(Value.transformable) ?? .null
    case .reference: return .null
    }
  }
}
