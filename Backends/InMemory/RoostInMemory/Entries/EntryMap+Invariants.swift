// SPDX-License-Identifier: Apache-2.0

extension EntryMap {
  /// Traps when an invariant of the tree is violated: for tests.
  func checkInvariants() {
    guard let rootAddress else {
      return precondition(count == 0 && height == 0, "a map without nodes is empty")
    }
    var previous: EntryKey?
    let found = EntryMap.check(rootAddress, level: height, isRoot: true, previous: &previous)
    precondition(found == count && count > 0, "a map knows how many entries it has")
  }

  private static func check(
    _ address: UnsafeRawPointer, level: Int, isRoot: Bool, previous: inout EntryKey?
  ) -> Int {
    guard level > 0 else {
      return EntryLeaf.with(address) { keys in
        precondition((1...nodeCapacity).contains(keys.count), "a leaf has 1 to 64 keys")
        for key in keys {
          if let previous { precondition(EntryKey.precedes(previous, key), "keys are in order") }
          previous = key
        }
        return keys.count
      }
    }
    return EntryBranch.with(address) { children in
      precondition(children.count <= nodeCapacity, "a branch has at most 64 children")
      precondition(children.count > (isRoot ? 1 : 0), "a branch has children")
      var count = 0
      for child in children {
        let node = EntryNode(at: child.address, level: level - 1)
        precondition(child.entryCount == node.entryCount, "a branch knows its children's entries")
        precondition(
          EntryKey.compare(node.first, child.first) == 0, "a branch knows its children's first keys"
        )
        count += check(child.address, level: level - 1, isRoot: false, previous: &previous)
      }
      precondition(
        EntryNode(at: address, level: level).entryCount == count, "a branch counts its entries")
      return count
    }
  }
}
