// SPDX-License-Identifier: Apache-2.0

public import RoostModel

extension RecordCodec {
  /// Reads a row.
  ///
  /// - Parameters:
  ///   - bytes: The result of ``encode(_:)``.
  ///   - key: The record's key.
  /// - Throws: `corruptStore` when the bytes are not those of a record with this key.
  public func decode(_ bytes: some Collection<UInt8>, key: Int64) throws -> Row {
    let known: Row? = try bytes.withContiguousStorageIfAvailable {
      try decode(UnsafeRawBufferPointer($0), key: key, selection: nil)
    }
    if let known { return known }
    return try Array(bytes).withUnsafeBytes { try decode($0, key: key, selection: nil) }
  }
}
