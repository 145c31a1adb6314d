// SPDX-License-Identifier: Apache-2.0

import Foundation

extension BenchResults {
  /// The results as JSON, with keys in order, so that two files can be compared line by line.
  func json() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    encoder.dateEncodingStrategy = .iso8601
    return try encoder.encode(self)
  }

  /// Reads results that were written before.
  ///
  /// - Throws: ``BenchError`` that says what is wrong with the file.
  init(jsonFile path: String) throws {
    guard let data = FileManager.default.contents(atPath: path) else {
      throw BenchError("There is no file \(path) to compare with.")
    }
    let decoder = JSONDecoder()
    decoder.dateDecodingStrategy = .iso8601
    struct Head: Codable { var format: Int }
    do {
      let head = try decoder.decode(Head.self, from: data)
      guard head.format == Self.currentFormat else {
        throw BenchError("\(path) has the format \(head.format), not \(Self.currentFormat).")
      }
      self = try decoder.decode(BenchResults.self, from: data)
    } catch let error as DecodingError {
      throw BenchError("\(path) holds no results of roost-bench: \(error)")
    }
  }
}
