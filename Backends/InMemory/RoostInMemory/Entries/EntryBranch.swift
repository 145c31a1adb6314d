// SPDX-License-Identifier: Apache-2.0

/// The upper nodes of an ``EntryMap``: up to 64 nodes of the next level in order. Filled when it is made and never
/// changed afterwards.
final class EntryBranch: ManagedBuffer<EntryBranch.Header, EntryBranch.Child> {
  struct Header {
    var count: Int
    /// The entries below this node.
    var entryCount: Int
    /// The steps to a leaf, 1 or more.
    var level: Int
  }

  /// A node below this one.
  struct Child {
    /// Its first key. The branch owns a reference to the blob, if there is one.
    var first: EntryKey
    /// The node, of which the branch owns a reference.
    var address: UnsafeRawPointer
    /// The entries below the children that stand before it.
    var entriesBefore: Int
  }

  /// Makes a branch of nodes of the next level in order.
  static func make(_ nodes: ArraySlice<EntryNode>, level: Int) -> EntryBranch {
    let branch = unsafeDowncast(
      create(minimumCapacity: nodes.count) { _ in
        Header(count: nodes.count, entryCount: 0, level: level)
      }, to: EntryBranch.self)
    branch.withUnsafeMutablePointers { header, elements in
      var next = elements
      for node in nodes {
        next.initialize(
          to: Child(
            first: node.first, address: node.address,
            entriesBefore: header.pointee.entryCount))
        _ = Unmanaged.passUnretained(node.object).retain()
        _ = node.first.blob?.retain()
        header.pointee.entryCount += node.entryCount
        next += 1
      }
    }
    return branch
  }

  deinit {
    withUnsafeMutablePointers { header, elements in
      for index in 0..<header.pointee.count {
        let child = elements[index]
        child.first.blob?.release()
        if header.pointee.level == 1 {
          Unmanaged<EntryLeaf>.fromOpaque(child.address).release()
        } else {
          Unmanaged<EntryBranch>.fromOpaque(child.address).release()
        }
      }
    }
  }

  /// The address of this node, as its parent keeps it.
  var address: UnsafeRawPointer {
    UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque())
  }

  /// Calls `body` with the children of a branch that somebody else keeps alive.
  @inline(__always)
  static func with<Result>(
    _ address: UnsafeRawPointer, _ body: (UnsafeBufferPointer<Child>) throws -> Result
  ) rethrows -> Result {
    try Unmanaged<EntryBranch>.fromOpaque(address)._withUnsafeGuaranteedRef { branch in
      try branch.withUnsafeMutablePointers { header, elements in
        try body(UnsafeBufferPointer(start: elements, count: header.pointee.count))
      }
    }
  }
}

/// A node of an ``EntryMap`` in the hands of somebody who builds a tree.
struct EntryNode {
  /// The leaf or branch.
  let object: AnyObject
  /// Its first key.
  let first: EntryKey
  /// The keys or children of the node itself.
  let elementCount: Int
  /// The entries below the node.
  let entryCount: Int

  init(_ leaf: EntryLeaf) {
    object = leaf
    elementCount = leaf.header.count
    entryCount = elementCount
    first = leaf.withUnsafeMutablePointerToElements { $0.pointee }
  }

  init(_ branch: EntryBranch) {
    object = branch
    elementCount = branch.header.count
    entryCount = branch.header.entryCount
    first = branch.withUnsafeMutablePointerToElements { $0.pointee.first }
  }

  /// The node at an address, which somebody keeps alive meanwhile.
  init(at address: UnsafeRawPointer, level: Int) {
    if level == 0 {
      self.init(Unmanaged<EntryLeaf>.fromOpaque(address).takeUnretainedValue())
    } else {
      self.init(Unmanaged<EntryBranch>.fromOpaque(address).takeUnretainedValue())
    }
  }

  var address: UnsafeRawPointer {
    UnsafeRawPointer(Unmanaged.passUnretained(object).toOpaque())
  }
}
