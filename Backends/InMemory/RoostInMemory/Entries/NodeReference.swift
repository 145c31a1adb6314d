// SPDX-License-Identifier: Apache-2.0

/// A reference to a node of a tree, which its parent owns and keeps as a plain address.
enum NodeReference {
  /// Whether one parent holds the only reference to a node: then no snapshot shares it, and the owner of the only
  /// reference to the parent may change it.
  static func isUnique<Node: AnyObject>(_ address: UnsafeRawPointer, as type: Node.Type) -> Bool {
    var address = address
    return withUnsafeMutableBytes(of: &address) { bytes in
      // A reference to a native object is its address. It is read without a retain or release: the count remains the
      // parent's.
      guard let start = bytes.baseAddress else { return false }
      return isKnownUniquelyReferenced(&start.assumingMemoryBound(to: Node.self).pointee)
    }
  }
}
