// SPDX-License-Identifier: Apache-2.0

/// A reference to a node of a tree, which its parent owns and keeps as a plain address.
enum NodeReference {
  /// Whether nobody but one parent has a reference to a node: then no snapshot shows it, and it may be changed by
  /// the owner of the only reference to the parent.
  static func isUnique<Node: AnyObject>(_ address: UnsafeRawPointer, as type: Node.Type) -> Bool {
    var address = address
    return withUnsafeMutableBytes(of: &address) { bytes in
      // A reference to a native object is its address. It is looked at, and neither retained nor released: the count
      // stays the parent's.
      guard let start = bytes.baseAddress else { return false }
      return isKnownUniquelyReferenced(&start.assumingMemoryBound(to: Node.self).pointee)
    }
  }
}
