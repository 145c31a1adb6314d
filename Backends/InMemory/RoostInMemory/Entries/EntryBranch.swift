// SPDX-License-Identifier: Apache-2.0

/// An inner node of an ``EntryMap``: up to 64 nodes of the next level in order. It is filled when it is made;
/// afterwards only its counts change, while the map is its only owner.
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
    /// The entries below the node.
    var entryCount: Int
  }

  /// Makes a branch of nodes of the next level in order.
  static func make(_ children: UnsafeBufferPointer<Child>, level: Int) -> EntryBranch {
    let branch = unsafeDowncast(
      create(minimumCapacity: children.count) { _ in
        Header(count: children.count, entryCount: 0, level: level)
      }, to: EntryBranch.self)
    guard let start = children.baseAddress else { return branch }
    branch.withUnsafeMutablePointers { header, elements in
      elements.initialize(from: start, count: children.count)
      for child in children {
        _ = child.first.blob?.retain()
        if level == 1 {
          _ = Unmanaged<EntryLeaf>.fromOpaque(child.address).retain()
        } else {
          _ = Unmanaged<EntryBranch>.fromOpaque(child.address).retain()
        }
        header.pointee.entryCount += child.entryCount
      }
    }
    return branch
  }

  /// Counts entries that came below a child, or left it.
  func count(_ difference: Int, below child: Int) {
    withUnsafeMutablePointers { header, elements in
      header.pointee.entryCount += difference
      elements[child].entryCount += difference
    }
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

  /// Calls `body` with a branch that the caller keeps alive.
  @inline(__always)
  static func at<Result>(
    _ address: UnsafeRawPointer, _ body: (EntryBranch) throws -> Result
  ) rethrows -> Result {
    try Unmanaged<EntryBranch>.fromOpaque(address)._withUnsafeGuaranteedRef(body)
  }

  /// Calls `body` with the children of a branch that the caller keeps alive.
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

/// A node of an ``EntryMap`` while a tree is built.
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
    (elementCount, first) = leaf.withUnsafeMutablePointers { ($0.pointee.count, $1.pointee) }
    entryCount = elementCount
  }

  init(_ branch: EntryBranch) {
    object = branch
    (elementCount, entryCount, first) = branch.withUnsafeMutablePointers {
      ($0.pointee.count, $0.pointee.entryCount, $1.pointee.first)
    }
  }

  /// Makes a reference to the node at an address, which the caller keeps alive meanwhile.
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

  /// The node as its parent keeps it.
  var child: EntryBranch.Child {
    EntryBranch.Child(first: first, address: address, entryCount: entryCount)
  }
}
