// SPDX-License-Identifier: Apache-2.0

import RoostModel

extension RecordMap {
  /// Traps when an invariant of the tree is violated: for tests.
  func checkInvariants() {
    guard let root else { return precondition(height == 0, "an empty map has no height") }
    precondition(root.header.rowCount > 0, "a node without rows is left out")
    _ = RecordMap.check(root.address, level: height, prefix: 0)
  }

  private static func check(_ address: UnsafeRawPointer, level: Int, prefix: Int64) -> Int {
    RecordNode.with(address) { node in
      precondition(node.header.isLeaf == (level == 0), "all leaves are equally deep")
      precondition(node.header.bitmap != 0, "a node has an element")
      var rowCount = 0
      for place in 0..<64 {
        guard let element = node.element(at: place) else { continue }
        let number = prefix << 6 | Int64(place)
        if level > 0 {
          rowCount += check(element, level: level - 1, prefix: number)
        } else {
          let row = Row(
            storage: Unmanaged<RowStorage>.fromOpaque(element).takeUnretainedValue())
          precondition(
            RecordKey.sequence(of: row.key) == number, "a row stands at its sequence number")
          rowCount += 1
        }
      }
      precondition(rowCount == node.header.rowCount, "a node knows how many rows it has")
      return rowCount
    }
  }
}
