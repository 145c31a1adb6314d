// SPDX-License-Identifier: Apache-2.0

import Foundation

extension BenchResults {
  /// Returns the results as JSON with sorted keys, so that two files can be compared line by line.
  func json() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
    encoder.dateEncodingStrategy = .iso8601
    return try encoder.encode(self)
  }

  /// Reads the results of an earlier run.
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
      throw BenchError("\(path) holds no results of roost-bench: \(Self.sentence(error))")
    }
  }

  /// Returns a sentence that describes the error.
  private static func sentence(_ error: DecodingError) -> String {
    func place(_ path: [any CodingKey]) -> String {
      path.isEmpty ? "the file" : path.map(\.stringValue).joined(separator: ".")
    }
    return switch error {
    case .keyNotFound(let key, let context):
      "\(place(context.codingPath)) has no \(key.stringValue)."
    case .valueNotFound(_, let context): "\(place(context.codingPath)) is null."
    case .typeMismatch(_, let context): "\(place(context.codingPath)) is of another kind."
    case .dataCorrupted(let context):
      context.codingPath.isEmpty
        ? "it is no JSON, or was cut off." : "\(place(context.codingPath)) has an unknown value."
    @unknown default: "it cannot be read."
    }
  }
}
