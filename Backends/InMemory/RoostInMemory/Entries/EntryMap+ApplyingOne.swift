// SPDX-License-Identifier: Apache-2.0

// A save of one object changes one entry of each index: a path of nodes is copied, and in each node one element.
extension EntryMap {
  /// Returns the node after one change; nil when a node becomes too large or too small, and its neighbours are
  /// concerned.
  ///
  /// - Parameter isLast: Whether no node of the level comes after it.
  // As deep as the tree is high.
  static func applyingOne(
    _ address: UnsafeRawPointer, level: Int, _ change: Change, isLast: Bool = true
  ) -> EntryNode? {
    guard level > 0 else {
      return EntryLeaf.with(address) { leaf(of: $0, after: change, isLast: isLast) }
    }
    return EntryBranch.with(address) { children in
      let place = childIndex(for: change.entry.key, in: children)
      let isLast = isLast && place == children.count - 1
      guard
        let child = applyingOne(
          children[place].address, level: level - 1, change, isLast: isLast)
      else {
        return nil
      }
      return withUnsafeTemporaryAllocation(
        of: EntryBranch.Child.self, capacity: children.count
      ) { copy in
        _ = copy.initialize(from: children)
        copy[place] = child.child
        // The new child lives until its parent holds it.
        return withExtendedLifetime(child) {
          EntryNode(EntryBranch.make(UnsafeBufferPointer(copy), level: level))
        }
      }
    }
  }

  private static func leaf(
    of keys: UnsafeBufferPointer<EntryKey>, after change: Change, isLast: Bool
  ) -> EntryNode? {
    let key = change.entry.key
    let place = lowerBound(of: key, in: keys)
    let isThere = place < keys.count && EntryKey.compare(keys[place], key) == 0
    let count = keys.count + (change.isRemoval ? 0 : 1) - (isThere ? 1 : 0)
    // A leaf at the end of the map is left to the general algorithm, which fills leaves completely.
    guard count >= nodeMinimum, count <= nodeCapacity, place < keys.count || !isLast else {
      return nil
    }
    return withUnsafeTemporaryAllocation(of: EntryKey.self, capacity: count) { copy in
      var end = copy.initialize(fromContentsOf: keys[..<place])
      if !change.isRemoval {
        copy.initializeElement(at: end, to: key)
        end += 1
      }
      _ = copy[end...].initialize(fromContentsOf: keys[(place + (isThere ? 1 : 0))...])
      // Further keys are likely at the same place, so room is left for them.
      return EntryNode(EntryLeaf.make(UnsafeBufferPointer(copy), capacity: nodeCapacity))
    }
  }
}
