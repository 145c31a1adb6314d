// SPDX-License-Identifier: Apache-2.0

public import RoostModel

extension RowChunk {
  /// Calls `body` with a chunk of rows that the engine holds in memory; nil stands for a missing row.
  ///
  /// - Parameters:
  ///   - rows: The rows. A few hundred at a time keep their addresses in the processor's cache.
  ///   - body: Reads the chunk.
  /// - Returns: The result of `body`.
  /// - Throws: Any error of `body`.
  /// - Complexity: O(rows), without an allocation for a chunk of less than a hundred rows.
  public static func withRows<Result>(
    _ rows: some Collection<Row?>, _ body: (RowChunk) throws -> Result
  ) throws -> Result {
    try withExtendedLifetime(rows) {
      try withUnsafeTemporaryAllocation(of: UnsafeRawPointer?.self, capacity: rows.count) {
        addresses in
        var count = 0
        for row in rows {
          let address = row.map {
            UnsafeRawPointer(Unmanaged.passUnretained($0.storage).toOpaque())
          }
          addresses.initializeElement(at: count, to: address)
          count += 1
        }
        return try body(RowChunk(UnsafeBufferPointer(addresses)))
      }
    }
  }
}

extension EntryChunk {
  /// Calls `body` with a chunk of entries that the engine holds in memory.
  ///
  /// - Parameters:
  ///   - entries: Keys and values, in ascending order of the keys.
  ///   - body: Reads the chunk.
  /// - Returns: The result of `body`.
  /// - Throws: Any error of `body`.
  /// - Complexity: O(bytes): keys and values are copied into contiguous memory.
  public static func withEntries<Result>(
    _ entries: some Collection<(key: [UInt8], value: [UInt8])>,
    _ body: (EntryChunk) throws -> Result
  ) throws -> Result {
    var bytes: [UInt8] = []
    for entry in entries {
      bytes += entry.key
      bytes += entry.value
    }
    return try bytes.withUnsafeBytes { bytes in
      try withUnsafeTemporaryAllocation(of: Entry.self, capacity: entries.count) { chunk in
        var (count, start) = (0, 0)
        for entry in entries {
          let middle = start + entry.key.count
          let end = middle + entry.value.count
          chunk.initializeElement(
            at: count,
            to: Entry(
              key: UnsafeRawBufferPointer(rebasing: bytes[start..<middle]),
              value: UnsafeRawBufferPointer(rebasing: bytes[middle..<end])))
          (count, start) = (count + 1, end)
        }
        return try body(EntryChunk(UnsafeBufferPointer(chunk)))
      }
    }
  }
}
