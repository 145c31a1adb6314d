// SPDX-License-Identifier: Apache-2.0

import CLMDB
import Foundation
import RoostModel

/// The meta pages of an LMDB file, read without mapping it: LMDB trusts them, and a file that is shorter than they
/// say would crash the process.
struct LMDBHeader {
  /// The map size that the last writer had reserved.
  let mapSize: Int
  /// The least size of the file in bytes.
  let neededSize: Int
  let pageSize: Int
  /// The number of the last transaction that wrote the file.
  let transaction: UInt64

  // There are two meta pages, used in turn: each has a page header of 16 bytes, then the fields below.
  private static let headerCount = 152
  private static let metaFlag: UInt16 = 0x08
  private static let magic: UInt32 = 0xBEEF_C0DE
  private static let dataVersion: UInt32 = 1
  /// An upper bound for transaction IDs; no file has been written as often.
  private static let largestTransaction: UInt64 = 1 << 62

  /// Reads the header.
  ///
  /// - Throws: `persistentStoreTypeMismatch` when the file is no LMDB file, `persistentStoreOpen` when its version is
  ///   unknown, `corruptStore` when it is shorter than its meta pages say; the system's error when it cannot be read
  ///   now.
  init(of descriptor: Int32, size: Int) throws {
    guard let first = try Meta(descriptor, at: 0) else {
      throw PersistenceError(
        .persistentStoreTypeMismatch, "The file is not an LMDB database.")
    }
    guard first.version == Self.dataVersion else {
      throw PersistenceError(
        .persistentStoreOpen, "The file is of another version of LMDB's format.")
    }
    let pageSize = first.pageSize
    guard pageSize.nonzeroBitCount == 1, (512...65_536).contains(pageSize),
      let second = try Meta(descriptor, at: pageSize), second.version == Self.dataVersion,
      second.pageSize == pageSize
    else { throw LMDBHeader.damaged }
    let latest = second.transaction > first.transaction ? second : first
    guard latest.transaction <= Self.largestTransaction else { throw LMDBHeader.damaged }
    let (pages, isTooLarge) = Int(clamping: latest.lastPage).addingReportingOverflow(1)
    let (needed, isFarTooLarge) = pages.multipliedReportingOverflow(by: pageSize)
    guard !isTooLarge, !isFarTooLarge, pages >= 2, size >= needed else { throw LMDBHeader.damaged }
    neededSize = needed
    self.pageSize = pageSize
    mapSize = Int(clamping: latest.mapSize)
    transaction = latest.transaction
  }

  private static let damaged = PersistenceError(
    .corruptStore, "The file is shorter than it says, or its beginning is damaged.")

  /// One of the two pages.
  struct Meta {
    let version: UInt32
    let mapSize: UInt64
    let pageSize: Int
    let lastPage: UInt64
    let transaction: UInt64
    /// The tree of the pages that may be used again.
    let freePages: LMDBTree
    /// The tree of the tables' names.
    let names: LMDBTree

    /// Reads a meta page; nil when it is none of LMDB's.
    ///
    /// - Throws: The system's error when the page cannot be read: that is no damage, and may be temporary.
    init?(_ descriptor: Int32, at offset: Int) throws {
      var bytes = [UInt8](repeating: 0, count: LMDBHeader.headerCount)
      let count = try bytes.withUnsafeMutableBytes {
        try readBytes(of: descriptor, at: offset, into: $0)
      }
      guard count == bytes.count else { return nil }
      func number<T: FixedWidthInteger & BitwiseCopyable>(_ offset: Int, _ type: T.Type) -> T {
        bytes.withUnsafeBytes { $0.loadUnaligned(fromByteOffset: offset, as: type) }
      }
      guard number(10, UInt16.self) & LMDBHeader.metaFlag != 0,
        number(16, UInt32.self) == LMDBHeader.magic
      else { return nil }
      version = number(20, UInt32.self)
      mapSize = number(32, UInt64.self)
      pageSize = Int(number(40, UInt32.self))
      lastPage = number(136, UInt64.self)
      transaction = number(144, UInt64.self)
      (freePages, names) = bytes.withUnsafeBytes { bytes in
        let trees = UnsafeRawBufferPointer(rebasing: bytes[40..<136])
        return (
          LMDBTree(UnsafeRawBufferPointer(rebasing: trees[..<LMDBTree.byteCount])),
          LMDBTree(UnsafeRawBufferPointer(rebasing: trees[LMDBTree.byteCount...]))
        )
      }
    }
  }
}

/// Reads bytes of a file.
///
/// - Returns: The number of bytes read: fewer than requested at the end of the file.
func readBytes(
  of descriptor: Int32, at offset: Int, into buffer: UnsafeMutableRawBufferPointer
) throws -> Int {
  var done = 0
  while done < buffer.count {
    let count = pread(
      descriptor, buffer.baseAddress?.advanced(by: done), buffer.count - done,
      off_t(offset + done))
    if count < 0, errno == EINTR { continue }
    guard count >= 0 else { throw LMDBError.system("read the file") }
    guard count > 0 else { break }
    done += count
  }
  return done
}
