// SPDX-License-Identifier: Apache-2.0

import RoostKeyValue

/// An ordered map of byte keys, with or without values: a persistent B+ tree whose nodes are immutable while a copy
/// of the map shares them.
///
/// A change copies the nodes along its path and shares all others, so a copy of the map is a free snapshot, and
/// readers need no lock.
struct EntryMap: @unchecked Sendable {
  // Sendable: nodes are written before they are shared, or while they have a single owner.

  /// The most keys of a leaf, and children of a branch.
  static let nodeCapacity = 64
  /// A node with fewer elements is merged with a neighbour.
  static let nodeMinimum = 16

  /// The top node; nil when the map is empty.
  private(set) var root: AnyObject?
  /// The steps from the top node to a leaf.
  private(set) var height: Int
  /// The number of entries.
  private(set) var count: Int

  /// Makes an empty map.
  init() {
    root = nil
    height = 0
    count = 0
  }

  init(root: EntryNode, height: Int) {
    self.root = root.object
    self.height = height
    count = root.entryCount
  }

  var rootAddress: UnsafeRawPointer? {
    root.map { UnsafeRawPointer(Unmanaged.passUnretained($0).toOpaque()) }
  }
}

// MARK: - Changes in place

extension EntryMap {
  /// Makes a change in place, without new nodes.
  ///
  /// - Returns: false when nothing was changed, because a copy of the map shares a node on the path, or because nodes
  ///   would have to be added or removed.
  /// - Complexity: O(log *n*).
  mutating func changeInPlace(_ change: Change) -> Bool {
    let key = change.entry.key
    guard key.blob == nil, isKnownUniquelyReferenced(&root), let top = rootAddress else {
      return false
    }
    let difference = withUnsafeTemporaryAllocation(
      of: (branch: UnsafeRawPointer, child: Int).self, capacity: height
    ) { path -> Int? in
      var address = top
      for step in 0..<height {
        let (child, next) = EntryBranch.with(address) { children in
          let index = EntryMap.childIndex(for: key, in: children)
          return (index, children[index].address)
        }
        let isUnique =
          step + 1 < height
          ? NodeReference.isUnique(next, as: EntryBranch.self)
          : NodeReference.isUnique(next, as: EntryLeaf.self)
        guard isUnique else { return nil }
        path.initializeElement(at: step, to: (address, child))
        address = next
      }
      let difference = EntryLeaf.at(address) { $0.change(key, isRemoval: change.isRemoval) }
      guard let difference else { return nil }
      for (branch, child) in path { EntryBranch.at(branch) { $0.count(difference, below: child) } }
      return difference
    }
    guard let difference else { return false }
    count += difference
    return true
  }
}

// MARK: - Positions

extension EntryMap {
  /// Returns the number of entries before a key.
  ///
  /// - Complexity: O(log *n*).
  func rank(of bytes: [UInt8]) -> Int {
    guard var address = rootAddress else { return 0 }
    return OwnedEntryKey.with(bytes) { key in
      var rank = 0
      for _ in 0..<height {
        EntryBranch.with(address) { children in
          let index = EntryMap.childIndex(for: key, in: children)
          for before in 0..<index { rank += children[before].entryCount }
          address = children[index].address
        }
      }
      return rank + EntryLeaf.with(address) { EntryMap.lowerBound(of: key, in: $0) }
    }
  }

  /// Returns the index of the child whose subtree may have a key.
  static func childIndex(
    for key: EntryKey, in children: UnsafeBufferPointer<EntryBranch.Child>
  ) -> Int {
    var low = 1
    var high = children.count
    while low < high {
      let middle = (low &+ high) &>> 1
      if EntryKey.precedes(key, children[middle].first) { high = middle } else { low = middle &+ 1 }
    }
    return low &- 1
  }

  /// The index of the first key that does not come before a key.
  static func lowerBound(of key: EntryKey, in keys: UnsafeBufferPointer<EntryKey>) -> Int {
    var low = 0
    var high = keys.count
    while low < high {
      let middle = (low &+ high) &>> 1
      if EntryKey.precedes(keys[middle], key) { low = middle &+ 1 } else { high = middle }
    }
    return low
  }
}

/// A key together with its blob.
struct OwnedEntryKey {
  let key: EntryKey
  private let blob: EntryBlob?

  init(
    _ bytes: UnsafeRawBufferPointer,
    value: UnsafeRawBufferPointer = UnsafeRawBufferPointer(start: nil, count: 0)
  ) {
    if bytes.count <= EntryKey.inlineCapacity, value.isEmpty {
      key = EntryKey(inline: bytes)
      blob = nil
    } else {
      let blob = EntryBlob.make(key: bytes, value: value)
      key = EntryKey(blob: blob)
      self.blob = blob
    }
  }

  /// Calls `body` with a key that lives as long as the call.
  static func with<Result>(
    _ bytes: [UInt8], _ body: (EntryKey) throws -> Result
  ) rethrows -> Result {
    let owned = bytes.withUnsafeBytes { OwnedEntryKey($0) }
    return try withExtendedLifetime(owned.blob) { try body(owned.key) }
  }
}
