// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The position of a link among the destinations of its source, and among the sources of its destination. Links
/// without a position come first.
struct LinkPositions {
  var position: Int64?
  var inversePosition: Int64?

  /// The stored value for a missing position: smaller than all others.
  private static let none = Int64.min

  init() {}

  /// Reads the value of an entry.
  ///
  /// - Throws: `corruptStore` when the bytes are no positions.
  init(_ bytes: some RandomAccessCollection<UInt8>) throws {
    guard bytes.count == 16 else {
      throw PersistenceError(.corruptStore, "A link of the store is damaged.")
    }
    let words = [bytes.prefix(8), bytes.suffix(8)].map { word in
      Int64(bitPattern: word.reduce(UInt64(0)) { $0 << 8 | UInt64($1) })
    }
    position = words[0] == LinkPositions.none ? nil : words[0]
    inversePosition = words[1] == LinkPositions.none ? nil : words[1]
  }

  var bytes: [UInt8] {
    LinkKey.bytes(position ?? LinkPositions.none, inversePosition ?? LinkPositions.none)
  }
}
