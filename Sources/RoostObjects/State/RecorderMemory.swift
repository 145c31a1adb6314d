// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

/// Memory in which every attribute reads as a value of its type.
enum RecorderMemory {
  /// Returns a value of an attribute's type, zero or empty, never nil: a key path continues only through a non-nil
  /// optional.
  static func read<T: AttributeValue>() -> T {
    let kind = T.attributeType.slotKind ?? .integer
    return withUnsafeTemporaryAllocation(byteCount: 64, alignment: 16) { buffer in
      guard let base = buffer.baseAddress else { preconditionFailure("The buffer is not empty.") }
      base.initializeMemory(as: UInt8.self, repeating: 0, count: 64)
      let slot = RowSlot(offset: 16, nullOffset: 0, bit: 0, index: 0, kind: kind)
      switch kind {
      case .string: (base + 16).initializeMemory(as: String.self, to: "")
      case .data: (base + 16).initializeMemory(as: Data.self, to: Data())
      default: break
      }
      return T._load(base, slot)
    }
  }
}
