// SPDX-License-Identifier: Apache-2.0

/// The lowest nodes of an ``EntryMap``: up to 64 keys in order. Filled when it is made and never changed afterwards.
final class EntryLeaf: ManagedBuffer<EntryLeaf.Header, EntryKey> {
  struct Header {
    var count: Int
    /// Whether a key stands in a blob, of which the leaf owns a reference.
    var hasBlobs: Bool
  }

  /// Makes a leaf of keys in order.
  static func make(_ keys: UnsafeBufferPointer<EntryKey>) -> EntryLeaf {
    let leaf = unsafeDowncast(
      create(minimumCapacity: keys.count) { _ in Header(count: keys.count, hasBlobs: false) },
      to: EntryLeaf.self)
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
    guard header.hasBlobs else { return }
    withUnsafeMutablePointers { header, elements in
      for index in 0..<header.pointee.count { elements[index].blob?.release() }
    }
  }

  /// The address of this node, as its parent keeps it.
  var address: UnsafeRawPointer {
    UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
  }

  /// Calls `body` with the keys of a leaf that somebody else keeps alive.
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
