// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

/// The small descriptions that a store keeps of itself: JSON, because they are read by people when something is wrong.
enum StoredJSON {
  static func encode(_ value: some Encodable) throws -> [UInt8] {
    let encoder = JSONEncoder()
    encoder.outputFormatting = .sortedKeys
    encoder.nonConformingFloatEncodingStrategy = .convertToString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    return [UInt8](try encoder.encode(value))
  }

  static func decode<Decoded: Decodable>(
    _ type: Decoded.Type, from bytes: [UInt8], what: String
  ) throws -> Decoded {
    let decoder = JSONDecoder()
    decoder.nonConformingFloatDecodingStrategy = .convertFromString(
      positiveInfinity: "inf", negativeInfinity: "-inf", nan: "nan")
    do {
      return try decoder.decode(type, from: Data(bytes))
    } catch {
      throw PersistenceError(
        .corruptStore, "The \(what) of the store cannot be read.", underlying: error)
    }
  }
}
