// SPDX-License-Identifier: Apache-2.0

import CLMDB
import Foundation
import RoostModel

/// Checks the pages of a file before LMDB uses them: LMDB follows any offset and page number in a page, so a damaged
/// page could make it read outside of the file, or crash the process.
///
/// Every page must be where its number says, of the kind that its place in the tree requires, with its entries inside
/// of it, and be used only once. Values are not checked: records have their own checksums.
struct LMDBStructureCheck {
  private let descriptor: Int32
  private let pageSize: Int
  private let pageCount: UInt64
  /// The number of pages that may still be read.
  private var budget: Int
  /// A bit for each page that has a use.
  private var used: [UInt64]
  private var trees: [Walk] = []
  /// The pages to read, those near the roots first.
  private var queue: [Step] = []
  private var buffer: [UInt8]
  /// The pages and tables that the entries of the current page refer to; one list is reused for all pages.
  private var found: [Found] = []

  private enum Role {
    case freePages, names
    case table(hasIntegerKeys: Bool)
  }

  /// The pages and entries that were counted in a tree.
  private struct Walk {
    let tree: LMDBTree
    let role: Role
    var branchPages: UInt64 = 0
    var leafPages: UInt64 = 0
    var overflowPages: UInt64 = 0
    var entries: UInt64 = 0

    var isAsItSays: Bool {
      branchPages == tree.branchPages && leafPages == tree.leafPages
        && overflowPages == tree.overflowPages && entries == tree.entries
    }
  }

  private struct Step {
    let page: UInt64
    let tree: Int
    let level: Int
  }

  /// The error for any inconsistency, which LMDB itself would not detect.
  private static let damage = PersistenceError(
    .corruptStore, "The file is damaged: its pages do not belong together.")

  /// Checks the pages of the last snapshot of an open file.
  ///
  /// - Parameters:
  ///   - environment: The open file; nothing was read from it yet.
  ///   - descriptor: A descriptor of the same file.
  ///   - pages: The most pages to read; 0 for none. Pages beyond that are trusted.
  /// - Throws: `corruptStore` for a damaged file, `persistentStoreTypeMismatch` for another program's file.
  static func run(_ environment: OpaquePointer, _ descriptor: Int32, pages: Int) throws {
    guard pages > 0 else { return }
    for _ in 0..<LMDBEnvironment.attempts {
      var reader: OpaquePointer?
      let code = mdb_txn_begin(environment, nil, UInt32(MDB_RDONLY), &reader)
      guard let reader else {
        // Another process has grown the file: its current size is adopted.
        guard code == MDB_MAP_RESIZED else {
          throw LMDBError(code: code, operation: "begin to read")
        }
        try LMDBError.check(mdb_env_set_mapsize(environment, 0), "take over the file's size")
        continue
      }
      // While it reads, no page that it sees is used again.
      defer { mdb_txn_abort(reader) }
      if try check(environment, descriptor, UInt64(bitPattern: Int64(mdb_txn_id(reader))), pages) {
        return
      }
    }
  }

  /// - Returns: false when other processes have committed twice since, so that the pages to check are gone.
  private static func check(
    _ environment: OpaquePointer, _ descriptor: Int32, _ transaction: UInt64, _ pages: Int
  ) throws -> Bool {
    var statistics = MDB_stat()
    try LMDBError.check(mdb_env_stat(environment, &statistics), "ask for the size of a page")
    let pageSize = Int(statistics.ms_psize)
    guard let meta = try LMDBHeader.Meta(descriptor, at: Int(transaction & 1) * pageSize) else {
      throw damage
    }
    guard meta.transaction == transaction else { return false }
    let (size, isTooLarge) = (meta.lastPage &+ 1).multipliedReportingOverflow(by: UInt64(pageSize))
    guard meta.lastPage >= 1, meta.lastPage < .max, !isTooLarge,
      size <= UInt64(try FileStatus(of: descriptor).size)
    else { throw damage }
    var check = LMDBStructureCheck(descriptor, pageSize, meta, budget: pages)
    try check.walk(meta)
    return true
  }

  private init(_ descriptor: Int32, _ pageSize: Int, _ meta: LMDBHeader.Meta, budget: Int) {
    self.descriptor = descriptor
    self.pageSize = pageSize
    self.budget = budget
    pageCount = meta.lastPage + 1
    used = Array(repeating: 0, count: Int(pageCount / 64) + 1)
    buffer = Array(repeating: 0, count: pageSize)
    #if os(Linux)
    // The system reads them together, and not one after the other.
    let count = min(Int(pageCount), budget) * pageSize
    posix_fadvise(descriptor, 0, off_t(count), POSIX_FADV_WILLNEED)
    #endif
  }

  // MARK: - Walking

  private mutating func walk(_ meta: LMDBHeader.Meta) throws {
    guard meta.names.flags & LMDBTree.kinds == 0 else { throw Self.foreign }
    guard meta.freePages.flags & LMDBTree.kinds == LMDBTree.integerKeys else { throw Self.damage }
    try add(meta.names, .names)
    try add(meta.freePages, .freePages)
    var next = 0
    while next < queue.count {
      guard budget > 0 else { return }
      try visit(queue[next])
      next += 1
    }
    guard trees.allSatisfy(\.isAsItSays) else { throw Self.damage }
  }

  private static let foreign = PersistenceError(
    .persistentStoreTypeMismatch, "The file is an LMDB database of another program.")

  private mutating func add(_ tree: LMDBTree, _ role: Role) throws {
    guard tree.isSound else { throw Self.damage }
    trees.append(Walk(tree: tree, role: role))
    guard tree.root != LMDBTree.noPage else { return }
    queue.append(Step(page: tree.root, tree: trees.count - 1, level: 1))
  }

  /// Marks pages as used.
  private mutating func use(_ first: UInt64, count: UInt64 = 1) throws {
    guard first >= 2, count > 0, first < pageCount, count <= pageCount - first else {
      throw Self.damage
    }
    var page = first
    // A `for` over numbers allocates at each step of an unoptimized build.
    while page < first + count {
      let bit: UInt64 = 1 << (page % 64)
      guard used[Int(page / 64)] & bit == 0 else { throw Self.damage }
      used[Int(page / 64)] |= bit
      page += 1
    }
  }

  private mutating func visit(_ step: Step) throws {
    try use(step.page)
    try read(step.page)
    let isLeaf = step.level == trees[step.tree].tree.depth
    var hasIntegerKeys = true
    switch trees[step.tree].role {
    case .names: hasIntegerKeys = false
    case .freePages: break
    case .table(let hasNumbers): hasIntegerKeys = hasNumbers
    }
    // Findings are collected first, so that the buffer keeps the page while it is read.
    var nodes: [Found] = []
    swap(&nodes, &found)
    let count = buffer.withUnsafeBytes { bytes -> Int? in
      let page = LMDBPage(bytes: bytes)
      guard page.pageNumber == step.page, page.kind == (isLeaf ? .leaf : .branch) else {
        return nil
      }
      let role = trees[step.tree].role
      return page.forEachNode(hasIntegerKeys: hasIntegerKeys) { node in
        if let found = Self.finding(node, isLeaf: isLeaf, role) { nodes.append(found) }
      }
    }
    guard let count else { throw Self.damage }
    if isLeaf {
      trees[step.tree].leafPages += 1
      trees[step.tree].entries += UInt64(count)
    } else {
      trees[step.tree].branchPages += 1
    }
    var index = 0
    while index < nodes.count {
      try follow(nodes[index], step)
      index += 1
    }
    nodes.removeAll(keepingCapacity: true)
    swap(&nodes, &found)
  }

  /// The target of an entry.
  private enum Found {
    case page(UInt64)
    case overflow(page: UInt64, count: Int)
    case table(LMDBTree, name: String)
    case freePages([UInt64])
    case nothingKnown
  }

  private static func finding(_ node: LMDBPage.Node, isLeaf: Bool, _ role: Role) -> Found? {
    guard isLeaf else { return .page(node.child) }
    guard node.isKnown else { return .nothingKnown }
    if node.isOnOverflowPages {
      return .overflow(
        page: node.value.loadUnaligned(as: UInt64.self), count: node.valueCount)
    }
    switch role {
    case .names:
      guard node.isTable else { return nil }
      guard node.value.count == LMDBTree.byteCount else { return .nothingKnown }
      return .table(LMDBTree(node.value), name: String(decoding: node.key, as: UTF8.self))
    case .freePages:
      guard !node.isTable, node.value.count % 8 == 0 else { return .nothingKnown }
      return .freePages(
        (0..<node.value.count / 8).map {
          node.value.loadUnaligned(fromByteOffset: $0 * 8, as: UInt64.self)
        })
    case .table: return node.isTable ? .nothingKnown : nil
    }
  }

  private mutating func follow(_ found: Found, _ step: Step) throws {
    switch found {
    case .page(let page): queue.append(Step(page: page, tree: step.tree, level: step.level + 1))
    case .table(let tree, let name): try add(tree, named: name)
    case .freePages(let list): try checkFreePages(list)
    case .nothingKnown: throw Self.damage
    case .overflow(let page, let count):
      // Values of the list of names are short.
      if case .names = trees[step.tree].role { return }
      let pages = try checkOverflow(page, count)
      trees[step.tree].overflowPages += pages
      if case .freePages = trees[step.tree].role {
        try checkFreePages(try freePages(at: page, count: count))
      }
    }
  }

  private mutating func add(_ tree: LMDBTree, named name: String) throws {
    let hasIntegerKeys = name.hasPrefix(TableDirectory.recordsPrefix)
    guard
      hasIntegerKeys || name == TableDirectory.blobsName
        || name.hasPrefix(TableDirectory.entriesPrefix)
    else { return }
    let flags = tree.flags & LMDBTree.kinds
    guard flags == (hasIntegerKeys ? LMDBTree.integerKeys : 0) else { throw Self.damage }
    try add(tree, .table(hasIntegerKeys: hasIntegerKeys))
  }

  // MARK: - Long values and free pages

  /// Checks the pages of an overflow value.
  ///
  /// - Returns: The number of pages; it may be larger than the value needs.
  private mutating func checkOverflow(_ page: UInt64, _ count: Int) throws -> UInt64 {
    guard page >= 2, page < pageCount else { throw Self.damage }
    try read(page)
    let (isRight, pages) = buffer.withUnsafeBytes { bytes in
      let head = LMDBPage(bytes: bytes)
      return (head.pageNumber == page && head.kind == .overflow, head.overflowCount)
    }
    let needed = UInt64((LMDBPage.headerCount - 1 + count) / pageSize + 1)
    guard isRight, pages >= needed else { throw Self.damage }
    try use(page, count: pages)
    return pages
  }

  /// Reads a long list of free pages.
  private func freePages(at page: UInt64, count: Int) throws -> [UInt64] {
    guard count % 8 == 0 else { throw Self.damage }
    var list = [UInt64](repeating: 0, count: count / 8)
    let found = try list.withUnsafeMutableBytes {
      try readBytes(of: descriptor, at: Int(page) * pageSize + LMDBPage.headerCount, into: $0)
    }
    guard found == count else { throw Self.damage }
    return list
  }

  /// Checks a list of free pages: their number, and then the page numbers in descending order.
  private mutating func checkFreePages(_ list: [UInt64]) throws {
    guard let count = list.first, count < UInt64(list.count) else { throw Self.damage }
    var last = UInt64.max
    for page in list[1..<Int(count) + 1] {
      guard page < last else { throw Self.damage }
      last = page
      try use(page)
    }
  }

  private mutating func read(_ page: UInt64) throws {
    budget -= 1
    let count = try buffer.withUnsafeMutableBytes {
      try readBytes(of: descriptor, at: Int(page) * pageSize, into: $0)
    }
    guard count == pageSize else { throw Self.damage }
  }
}
