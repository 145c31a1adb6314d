// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

/// Reads a file line by line, in memory for its longest record.
struct LineReader {
  /// The maximum size of a record, so that a file without line breaks does not fill the memory.
  static let largestRecord = 1 << 28
  private static let chunkSize = 1 << 18

  private let file: FileHandle
  private let name: String
  private var chunk: [UInt8] = []
  private var place = 0
  /// The offset of the next line.
  private(set) var offset: Int

  /// - Throws: `invalidRequest` when the file cannot be opened.
  init(_ url: URL, offset: Int) throws {
    name = url.lastPathComponent
    do {
      file = try FileHandle(forReadingFrom: url)
      try file.seek(toOffset: UInt64(offset))
    } catch {
      throw PersistenceError(
        .invalidRequest, "The file \(url.path(percentEncoded: false)) cannot be read.",
        underlying: error
      ).remedied(by: "Name a file that is there and may be read.")
    }
    self.offset = offset
  }

  /// Appends the next line, including its line break.
  ///
  /// - Returns: False at the end of the file.
  mutating func append(to line: inout [UInt8]) throws -> Bool {
    let start = line.count
    while true {
      if place == chunk.count {
        chunk = try nextChunk()
        place = 0
        if chunk.isEmpty { break }
      }
      if let end = chunk[place...].firstIndex(of: 10) {
        line.append(contentsOf: chunk[place...end])
        place = end + 1
        break
      }
      line.append(contentsOf: chunk[place...])
      place = chunk.count
      guard line.count <= Self.largestRecord else {
        throw PersistenceError(
          .limitExceeded, "\(name): a record has more than \(Self.largestRecord) bytes."
        ).remedied(by: "End each record with a line feed, and close each quotation mark.")
      }
    }
    offset += line.count - start
    return line.count > start
  }

  private func nextChunk() throws -> [UInt8] {
    do {
      return [UInt8](try file.read(upToCount: Self.chunkSize) ?? Data())
    } catch {
      throw PersistenceError(
        .invalidRequest, "The file \(name) cannot be read to its end.", underlying: error)
    }
  }
}
