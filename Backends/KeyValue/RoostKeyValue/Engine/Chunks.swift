// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// A group of rows that is valid only during the call that receives it; a row that is kept is retained or created.
///
/// The rows are plain addresses, so an engine that holds rows can pass a leaf of its tree without copying. An engine
/// that reads rows from bytes fills only the judged slots, in reused memory, and creates a row only when it is kept.
///
/// ```swift
/// return try RowChunk.withRows(rows[0..<512]) { try body($0) }
/// ```
public struct RowChunk {
  private let storages: UnsafePointer<UnsafeRawPointer?>
  private let source: (any RowSource)?
  /// The number of rows, including missing ones.
  public let count: Int

  /// Makes a chunk of the addresses of row storages; nil stands for a missing row.
  ///
  /// - Parameter source: Creates the rows that are kept; nil when the addresses are those of rows.
  package init(
    _ storages: UnsafeBufferPointer<UnsafeRawPointer?>, source: (any RowSource)? = nil
  ) {
    // An empty buffer may have no address; the substitute is never read.
    self.storages = storages.baseAddress ?? UnsafePointer(RowChunk.nowhere)
    self.source = source
    count = storages.count
  }

  /// Makes a chunk of the addresses of row storages.
  package init(_ storages: UnsafeBufferPointer<UnsafeRawPointer>) {
    self.init(
      UnsafeBufferPointer(
        start: storages.baseAddress.map {
          UnsafeRawPointer($0).assumingMemoryBound(to: UnsafeRawPointer?.self)
        }, count: storages.count))
  }

  // Never written: one address for all empty chunks.
  private nonisolated(unsafe) static let nowhere =
    UnsafeMutablePointer<UnsafeRawPointer?>.allocate(capacity: 1)

  /// Whether there is a row at an index.
  package func isPresent(_ index: Int) -> Bool { storages[index] != nil }

  /// The row at an index, to be kept; nil when it is missing.
  ///
  /// - Throws: `corruptStore` when the record of the row is damaged.
  public subscript(index: Int) -> Row? {
    get throws {
      guard let address = storages[index] else { return nil }
      if let source { return try source.row(at: index) }
      return Row(storage: Unmanaged<RowStorage>.fromOpaque(address).takeUnretainedValue())
    }
  }

  /// Calls `body` with an existing row, without retaining it; it has the judged slots.
  @inline(__always)
  package func withRow<Result>(_ index: Int, _ body: (Row) throws -> Result) rethrows -> Result? {
    guard let address = storages[index] else { return nil }
    return try Unmanaged<RowStorage>.fromOpaque(address)
      ._withUnsafeGuaranteedRef { try body(Row(storage: $0)) }
  }

  /// The memory of a row with the judged slots, without a reference to the row; nil when the row is missing.
  @inline(__always)
  package func base(_ index: Int) -> UnsafeMutableRawPointer? {
    guard let address = storages[index] else { return nil }
    return Unmanaged<RowStorage>.fromOpaque(address)
      ._withUnsafeGuaranteedRef { Row(storage: $0).base }
  }

  /// The key of an existing row.
  @inline(__always)
  package func key(_ index: Int) -> Int64 {
    withRow(index) { row in
      row.storage.withUnsafeMutablePointerToHeader { $0.pointee.key }
    } ?? 0
  }
}

/// Makes the rows of a chunk that are kept.
package protocol RowSource: AnyObject {
  /// Returns the row at an index of the current chunk.
  func row(at index: Int) throws -> Row
}

/// A group of entries in ascending order, valid only during the call that receives it.
///
/// ```swift
/// return try EntryChunk.withEntries(entries[0..<512]) { try body($0) }
/// ```
public struct EntryChunk {
  private let entries: UnsafeBufferPointer<Entry>

  package init(_ entries: UnsafeBufferPointer<Entry>) {
    self.entries = entries
  }

  /// The number of entries.
  public var count: Int { entries.count }

  /// The entry at an index.
  public subscript(index: Int) -> Entry { entries[index] }

  /// The bytes of one entry.
  ///
  /// ```swift
  /// let key = Array(chunk[0].key)
  /// ```
  public struct Entry {
    /// The key.
    public var key: UnsafeRawBufferPointer
    /// The value.
    public var value: UnsafeRawBufferPointer

    package init(key: UnsafeRawBufferPointer, value: UnsafeRawBufferPointer) {
      self.key = key
      self.value = value
    }

    /// The record key at the end of the entry's key.
    public var recordKey: Int64 {
      KeyEncoding.recordKey(atEndOf: key)
    }
  }
}
