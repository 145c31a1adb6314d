// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Reads a recording line by line: it may be larger than memory.
final class RecordingReader {
  private let handle: FileHandle
  private let path: String
  private var buffer = Data()
  private var number = 0
  private var isAtEnd = false

  /// - Throws: ``RecordingError`` when there is no such file.
  init(_ url: URL) throws {
    path = url.path
    guard let handle = FileHandle(forReadingAtPath: url.path) else {
      throw RecordingError("There is no recording \(url.path).")
    }
    self.handle = handle
  }

  deinit {
    try? handle.close()
  }

  static func decode<Line: Decodable>(_ type: Line.Type, _ line: Data) throws -> Line {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return try decoder.decode(type, from: line)
  }

  /// Reads the next line; nil at the end. A truncated last line is skipped: the program ended there.
  ///
  /// - Throws: ``RecordingError`` with the number of a line that is not valid.
  func next<Line: Decodable>(_ type: Line.Type) throws -> Line? {
    while true {
      if let end = buffer.firstIndex(of: UInt8(ascii: "\n")) {
        let line = Data(buffer[buffer.startIndex..<end])
        buffer = buffer[buffer.index(after: end)...]
        number += 1
        do {
          return try Self.decode(type, line)
        } catch {
          throw RecordingError("Line \(number) of \(path) is no part of a recording.")
        }
      }
      if isAtEnd { return nil }
      guard let more = try handle.read(upToCount: 1 << 20), !more.isEmpty else {
        isAtEnd = true
        continue
      }
      buffer = Data(buffer) + more
    }
  }
}
