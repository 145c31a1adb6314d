// SPDX-License-Identifier: Apache-2.0

import Foundation

extension RowMemory {
  /// Returns the value in a slot like ``Value/anyValue``, without an intermediate ``Value``; not for transformable
  /// attributes, whose codecs decode them.
  package static func anyValue(_ base: UnsafeMutableRawPointer, _ slot: RowSlot) -> Any? {
    if isNull(base, slot) { return nil }
    switch slot.kind {
    case .integer, .reference, .position: return SharedNumbers.number(load(base, slot))
    case .boolean: return SharedNumbers.truth(load(base, slot) != (0 as Int64))
    case .double: return NSNumber(value: load(base, slot) as Double)
    case .date: return Date(timeIntervalSinceReferenceDate: load(base, slot))
    case .string: return text(base, slot)
    case .data: return load(base, slot) as Data
    case .uuid: return load(base, slot) as UUID
    case .decimal: return NSDecimalNumber(decimal: load(base, slot))
    case .uri: return (load(base, slot) as URIBox?)?.url
    case .transformable:
      return (load(base, slot) as TransformableValue?).flatMap { Value.transformable($0).anyValue }
    }
  }
}
