// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// Some rows, alive during the call that hands them over; a row that is kept is retained or made as usual.
///
/// The rows are plain addresses, so that an engine which holds rows hands out a leaf of its tree as it stands. One that
/// reads rows from bytes fills only the slots that are judged, in memory that it uses again, and makes a row when it is
/// kept.
///
/// ```swift
/// return try RowChunk.withRows(rows[0..<512]) { try body($0) }
/// ```
public struct RowChunk {
  private let storages: UnsafePointer<UnsafeRawPointer?>
  private let source: (any RowSource)?
  /// How many rows there are, with those that are missing.
  public let count: Int

  /// Makes a chunk of the addresses of row storages; nil stands for a row that is missing.
  ///
  /// - Parameter source: What makes the rows that are kept; nil when they are the rows of the addresses.
  package init(
    _ storages: UnsafeBufferPointer<UnsafeRawPointer?>, source: (any RowSource)? = nil
  ) {
    // An empty buffer may have no address; nothing is ever read from the stand-in.
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

  /// Calls `body` with a row that is there, without retaining it; it has the slots that are judged.
  @inline(__always)
  package func withRow<Result>(_ index: Int, _ body: (Row) throws -> Result) rethrows -> Result? {
    guard let address = storages[index] else { return nil }
    return try Unmanaged<RowStorage>.fromOpaque(address)
      ._withUnsafeGuaranteedRef { try body(Row(storage: $0)) }
  }

  /// The memory of a row with the slots that are judged, without a reference to the row; nil when it is missing.
  @inline(__always)
  package func base(_ index: Int) -> UnsafeMutableRawPointer? {
    guard let address = storages[index] else { return nil }
    return Unmanaged<RowStorage>.fromOpaque(address)
      ._withUnsafeGuaranteedRef { Row(storage: $0).base }
  }

  /// The key of a row that is there.
  @inline(__always)
  package func key(_ index: Int) -> Int64 {
    withRow(index) { row in
      row.storage.withUnsafeMutablePointerToHeader { $0.pointee.key }
    } ?? 0
  }
}

/// Makes the rows of a chunk that are kept.
package protocol RowSource: AnyObject {
  /// Returns the row at an index of the chunk that was handed over last.
  func row(at index: Int) throws -> Row
}

/// Some entries in ascending order, alive during the call that hands them over.
///
/// ```swift
/// return try EntryChunk.withEntries(entries[0..<512]) { try body($0) }
/// ```
public struct EntryChunk {
  private let entries: UnsafeBufferPointer<Entry>

  package init(_ entries: UnsafeBufferPointer<Entry>) {
    self.entries = entries
  }

  /// How many entries there are.
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

    /// The record key with which the entry's key ends.
    public var recordKey: Int64 {
      KeyEncoding.recordKey(atEndOf: key)
    }
  }
}
