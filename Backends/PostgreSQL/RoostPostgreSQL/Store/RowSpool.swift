// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#else
import Darwin
#endif

/// An unnamed temporary file for the rows of a store, between the transaction that reads them and the one that writes
/// them.
final class RowSpool {
  private let file: UnsafeMutablePointer<FILE>
  private var tables: [String: Range<Int>] = [:]
  private var size = 0

  init() throws {
    let folder = FileManager.default.temporaryDirectory.path
    var path = Array("\(folder)/roost-rows-XXXXXX".utf8CString)
    let descriptor = mkstemp(&path)
    guard descriptor >= 0 else { throw Self.failure("made") }
    guard let file = fdopen(descriptor, "w+") else {
      let error = Self.failure("made")
      close(descriptor)
      throw error
    }
    self.file = file
    try DurableFiles.remove(
      String(decoding: path.dropLast().map { UInt8(bitPattern: $0) }, as: UTF8.self))
  }

  deinit {
    fclose(file)
  }

  /// Stores the bytes that `produce` writes, under the name of a table.
  func write(
    _ table: String, _ produce: ((UnsafeRawBufferPointer) throws -> Void) throws -> Void
  ) throws {
    let start = size
    try produce { bytes in
      guard fwrite(bytes.baseAddress, 1, bytes.count, file) == bytes.count else {
        throw Self.failure("written")
      }
      size += bytes.count
    }
    // Flushed here, because a later write error of the buffer would go unnoticed.
    guard fflush(file) == 0 else { throw Self.failure("written") }
    tables[table] = start..<size
  }

  /// Passes the stored bytes of a table to `body`.
  func read(_ table: String, _ body: (UnsafeRawBufferPointer) throws -> Void) throws {
    var rest = tables[table] ?? 0..<0
    guard fseeko(file, off_t(rest.lowerBound), SEEK_SET) == 0 else { throw Self.failure("read") }
    try withUnsafeTemporaryAllocation(byteCount: 65_536, alignment: 1) { buffer in
      while !rest.isEmpty {
        let count = fread(buffer.baseAddress, 1, min(buffer.count, rest.count), file)
        guard count > 0 else { throw Self.failure("read") }
        try body(UnsafeRawBufferPointer(rebasing: buffer[..<count]))
        rest = rest.lowerBound + count..<rest.upperBound
      }
    }
  }

  private static func failure(_ verb: String) -> PersistenceError {
    let number = errno
    return PersistenceError(
      number == ENOSPC || number == EDQUOT ? .storeFull : .persistentStoreOperation,
      "A temporary file could not be \(verb): \(String(cString: strerror(number))).")
  }
}
