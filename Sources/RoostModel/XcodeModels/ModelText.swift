// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The text of a model file, with its name in errors.
struct ModelText {
  /// The maximum file size in bytes. Real models have some hundred kilobytes.
  static let largestSize = 32 << 20

  /// The path, as shown in errors.
  let name: String
  let bytes: [UInt8]
  private let lines: LineTable

  init(name: String, bytes: [UInt8]) {
    self.name = name
    self.bytes = bytes
    lines = LineTable(bytes)
  }

  /// Reads a file.
  ///
  /// - Throws: `invalidModel` when there is no such file or it cannot be read, `limitExceeded` when it is too large.
  init(contentsOf url: URL, name: String) throws(PersistenceError) {
    let bytes: [UInt8]
    do {
      let handle = try FileHandle(forReadingFrom: url)
      defer { try? handle.close() }
      // One byte more than allowed, so that a growing or endless file is detected.
      let data = try handle.read(upToCount: Self.largestSize + 1) ?? Data()
      bytes = Array(data)
    } catch {
      throw PersistenceError(
        .invalidModel, "The file \(name) cannot be read.", underlying: error)
    }
    guard bytes.count <= Self.largestSize else {
      throw PersistenceError(
        .limitExceeded, "\(name) is larger than \(Self.largestSize >> 20) MB: no model is.")
    }
    self.init(name: name, bytes: bytes)
  }

  /// Returns an error with its location, such as `Model.xcdatamodel/contents:12:5: ...`; lines and columns count from
  /// 1, columns in bytes.
  func error(
    _ message: String, at offset: Int, code: PersistenceError.Code = .invalidModel,
    entityName: String? = nil, key: String? = nil, underlying: (any Error)? = nil
  ) -> PersistenceError {
    let place = lines.place(of: offset, in: bytes)
    return PersistenceError(
      code, "\(name):\(place.line):\(place.column): \(message)", entityName: entityName, key: key,
      underlying: underlying)
  }
}

/// The starting line of each block of a file, so that many faults are located without a scan of the file for each.
private struct LineTable {
  private static let blockSize = 4096
  /// The line of each block's first byte, and the offset of that line.
  private var blocks: [(line: Int, start: Int)] = []

  init(_ bytes: [UInt8]) {
    var line = 1
    var start = 0
    for (index, byte) in bytes.enumerated() {
      if index.isMultiple(of: Self.blockSize) { blocks.append((line, start)) }
      if byte == 10 {
        line += 1
        start = index + 1
      }
    }
  }

  func place(of offset: Int, in bytes: [UInt8]) -> (line: Int, column: Int) {
    let block = min(max(0, offset) / Self.blockSize, blocks.count - 1)
    guard block >= 0 else { return (1, offset + 1) }
    var (line, start) = blocks[block]
    for index in (block * Self.blockSize)..<max(block * Self.blockSize, min(offset, bytes.count))
    where bytes[index] == 10 {
      line += 1
      start = index + 1
    }
    return (line, offset - start + 1)
  }
}
