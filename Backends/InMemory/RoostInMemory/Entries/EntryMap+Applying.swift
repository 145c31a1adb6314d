// SPDX-License-Identifier: Apache-2.0

extension EntryMap {
  /// A change of one entry.
  struct Change {
    var entry: OwnedEntryKey
    var isRemoval: Bool
  }

  /// Returns the map after changes, which are ordered by key with at most one change per key. Removing a missing key
  /// is no error, and neither is replacing an existing one.
  ///
  /// - Complexity: O(*m*) for *m* neighbouring changes; one path of nodes for each isolated change.
  func applying(_ changes: [Change]) -> EntryMap {
    guard !changes.isEmpty else { return self }
    if changes.count == 1, let address = rootAddress,
      let root = EntryMap.applyingOne(address, level: height, changes[0])
    {
      return EntryMap(root: root, height: height)
    }
    var level = height
    var nodes = changes.withUnsafeBufferPointer { changes in
      EntryMap.merge(rootAddress, level: level, changes)
    }
    while nodes.count > 1 {
      level += 1
      nodes = EntryMap.branches(of: nodes, level: level)
    }
    guard var top = nodes.first else { return EntryMap() }
    // A branch with one child is redundant.
    while level > 0, top.elementCount == 1 {
      level -= 1
      top = EntryBranch.with(top.address) { EntryNode(at: $0[0].address, level: level) }
    }
    return EntryMap(root: top, height: level)
  }

  // As deep as the tree is high.
  private static func merge(
    _ address: UnsafeRawPointer?, level: Int, _ changes: UnsafeBufferPointer<Change>
  ) -> [EntryNode] {
    guard let address else {
      return mergeLeaf(UnsafeBufferPointer(start: nil, count: 0), changes)
    }
    guard level > 0 else { return EntryLeaf.with(address) { mergeLeaf($0, changes) } }
    return EntryBranch.with(address) { children in
      var merged: [EntryBranch.Child] = []
      merged.reserveCapacity(children.count + 8)
      // The new nodes live in `made` until their parent holds them.
      var made: [EntryNode] = []
      var start = 0
      for index in children.indices {
        var end = changes.count
        if start < end, index + 1 < children.count {
          end = firstChange(notBefore: children[index + 1].first, in: changes, from: start)
        }
        if start == end {
          merged.append(children[index])
        } else {
          let part = UnsafeBufferPointer(rebasing: changes[start..<end])
          let nodes = merge(children[index].address, level: level - 1, part)
          made += nodes
          for node in nodes { merged.append(node.child) }
        }
        start = end
      }
      return withExtendedLifetime(made) {
        if merged.count > 1, made.contains(where: { $0.elementCount < nodeMinimum }) {
          let nodes = merged.map { EntryNode(at: $0.address, level: level - 1) }
          return branches(of: joined(nodes, level: level - 1), level: level)
        }
        return branches(of: merged, level: level)
      }
    }
  }

  private static func firstChange(
    notBefore key: EntryKey, in changes: UnsafeBufferPointer<Change>, from start: Int
  ) -> Int {
    var low = start
    var high = changes.count
    while low < high {
      let middle = (low &+ high) &>> 1
      if EntryKey.precedes(changes[middle].entry.key, key) {
        low = middle &+ 1
      } else {
        high = middle
      }
    }
    return low
  }

  private static func mergeLeaf(
    _ keys: UnsafeBufferPointer<EntryKey>, _ changes: UnsafeBufferPointer<Change>
  ) -> [EntryNode] {
    withUnsafeTemporaryAllocation(of: EntryKey.self, capacity: keys.count + changes.count) {
      merged in
      var count = 0
      var old = 0
      for change in changes {
        let key = change.entry.key
        while old < keys.count, EntryKey.precedes(keys[old], key) {
          merged.initializeElement(at: count, to: keys[old])
          count += 1
          old += 1
        }
        if old < keys.count, EntryKey.compare(keys[old], key) == 0 { old += 1 }
        guard !change.isRemoval else { continue }
        merged.initializeElement(at: count, to: key)
        count += 1
      }
      // Keys that come one after the other, as those of new records do, fill their leaves to the brim.
      let isAppending = old == keys.count && changes.count < count
      while old < keys.count {
        merged.initializeElement(at: count, to: keys[old])
        count += 1
        old += 1
      }
      return leaves(
        of: UnsafeBufferPointer(rebasing: merged[..<count]),
        isAppending: isAppending || keys.isEmpty)
    }
  }
}

// MARK: - Packing

extension EntryMap {
  private static func leaves(
    of keys: UnsafeBufferPointer<EntryKey>, isAppending: Bool
  ) -> [EntryNode] {
    portions(of: keys.count, areFull: isAppending).map { portion in
      EntryNode(
        EntryLeaf.make(
          UnsafeBufferPointer(rebasing: keys[portion]), capacity: isAppending ? nodeCapacity : nil))
    }
  }

  private static func branches(of nodes: [EntryNode], level: Int) -> [EntryNode] {
    withExtendedLifetime(nodes) { branches(of: nodes.map(\.child), level: level) }
  }

  private static func branches(
    of children: [EntryBranch.Child], level: Int
  ) -> [EntryNode] {
    children.withUnsafeBufferPointer { children in
      portions(of: children.count, areFull: false).map { portion in
        EntryNode(
          EntryBranch.make(UnsafeBufferPointer(rebasing: children[portion]), level: level))
      }
    }
  }

  /// How elements are dealt out to nodes.
  static func portions(of count: Int, areFull: Bool) -> [Range<Int>] {
    guard count > nodeCapacity else { return count == 0 ? [] : [0..<count] }
    var portions: [Range<Int>] = []
    var start = 0
    if areFull {
      // Some room is left for keys in between, each of which would otherwise split a node.
      let full = nodeCapacity * 7 / 8
      while count - start >= full + nodeMinimum {
        portions.append(start..<start + full)
        start += full
      }
    }
    let rest = count - start
    let room = rest <= nodeCapacity ? nodeCapacity : nodeCapacity * 3 / 4
    let parts = (rest + room - 1) / room
    for part in 0..<parts {
      portions.append(start + rest * part / parts..<start + rest * (part + 1) / parts)
    }
    return portions
  }

  /// Joins nodes that became small with their neighbours.
  private static func joined(_ nodes: [EntryNode], level: Int) -> [EntryNode] {
    var result: [EntryNode] = []
    for node in nodes {
      guard let previous = result.last,
        previous.elementCount < nodeMinimum || node.elementCount < nodeMinimum
      else {
        result.append(node)
        continue
      }
      result.removeLast()
      result += concatenated(previous, node, level: level)
    }
    return result
  }

  private static func concatenated(
    _ left: EntryNode, _ right: EntryNode, level: Int
  ) -> [EntryNode] {
    if level == 0 {
      return withExtendedLifetime((left.object, right.object)) {
        let keys =
          EntryLeaf.with(left.address) { Array($0) } + EntryLeaf.with(right.address) { Array($0) }
        return keys.withUnsafeBufferPointer { leaves(of: $0, isAppending: false) }
      }
    }
    let children = [left, right].flatMap { node in
      EntryBranch.with(node.address) { $0.map { EntryNode(at: $0.address, level: level - 1) } }
    }
    return branches(of: children, level: level)
  }
}
