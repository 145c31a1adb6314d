// SPDX-License-Identifier: Apache-2.0

/// A leaf of an ``EntryMap``: up to 64 keys in order. It is filled when it is made, and changed afterwards only while
/// the map is its only owner.
final class EntryLeaf: ManagedBuffer<EntryLeaf.Header, EntryKey> {
  struct Header {
    var count: Int
    /// Whether a key is stored in a blob, of which the leaf owns a reference.
    var hasBlobs: Bool
    /// The number of keys for which there is room.
    var capacity: Int
  }

  /// Makes a leaf of keys in order.
  ///
  /// - Parameter capacity: The number of keys for which it has room; nil for a few more than it has.
  static func make(_ keys: UnsafeBufferPointer<EntryKey>, capacity: Int? = nil) -> EntryLeaf {
    let capacity = capacity ?? min(EntryMap.nodeCapacity, keys.count + 8)
    let leaf = unsafeDowncast(
      create(minimumCapacity: capacity) { _ in
        Header(count: keys.count, hasBlobs: false, capacity: capacity)
      }, to: EntryLeaf.self)
    guard let start = keys.baseAddress else { return leaf }
    leaf.withUnsafeMutablePointers { header, elements in
      elements.initialize(from: start, count: keys.count)
      for key in keys {
        guard let blob = key.blob else { continue }
        _ = blob.retain()
        header.pointee.hasBlobs = true
      }
    }
    return leaf
  }

  deinit {
    withUnsafeMutablePointers { header, elements in
      guard header.pointee.hasBlobs else { return }
      for index in 0..<header.pointee.count { elements[index].blob?.release() }
    }
  }

  /// Calls `body` with a leaf that the caller keeps alive.
  @inline(__always)
  static func at<Result>(
    _ address: UnsafeRawPointer, _ body: (EntryLeaf) throws -> Result
  ) rethrows -> Result {
    try Unmanaged<EntryLeaf>.fromOpaque(address)._withUnsafeGuaranteedRef(body)
  }

  /// Calls `body` with the keys of a leaf that the caller keeps alive.
  @inline(__always)
  static func with<Result>(
    _ address: UnsafeRawPointer, _ body: (UnsafeBufferPointer<EntryKey>) throws -> Result
  ) rethrows -> Result {
    try Unmanaged<EntryLeaf>.fromOpaque(address)._withUnsafeGuaranteedRef { leaf in
      try leaf.withUnsafeMutablePointers { header, elements in
        try body(UnsafeBufferPointer(start: elements, count: header.pointee.count))
      }
    }
  }
}

// MARK: - Changes

extension EntryLeaf {
  /// Inserts a short key into a leaf without other owners, or removes one.
  ///
  /// - Returns: The change of the key count; nil when the leaf was not changed: it has no room, would be too small,
  ///   or would get another first key.
  func change(_ key: EntryKey, isRemoval: Bool) -> Int? {
    withUnsafeMutablePointers { header, keys in
      let count = header.pointee.count
      let index = EntryMap.lowerBound(of: key, in: UnsafeBufferPointer(start: keys, count: count))
      let isThere = index < count && EntryKey.compare(keys[index], key) == 0
      guard index > 0, !isThere || keys[index].blob == nil else { return nil }
      switch (isThere, isRemoval) {
      case (true, false), (false, true): return 0
      case (false, false):
        guard count < header.pointee.capacity else { return nil }
        (keys + index + 1).moveInitialize(from: keys + index, count: count - index)
        (keys + index).initialize(to: key)
        header.pointee.count = count + 1
        return 1
      case (true, true):
        guard count > EntryMap.nodeMinimum else { return nil }
        (keys + index).moveInitialize(from: keys + index + 1, count: count - index - 1)
        header.pointee.count = count - 1
        return -1
      }
    }
  }
}
