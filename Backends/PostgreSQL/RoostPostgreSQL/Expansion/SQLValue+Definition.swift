// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostSQL

extension SQLValue {
  /// The value as a literal for definitions, which take no parameters; nil for a list.
  var definition: String? {
    func cast(_ text: String, _ type: String) -> String {
      "CAST(\(PostgreSQLNamespace.literal(text)) AS \(type))"
    }
    return switch self {
    case .null: "NULL"
    case .integer(let number): cast(String(number), "bigint")
    case .boolean(let truth): truth ? "TRUE" : "FALSE"
    case .real(let number): cast(String(number), "double precision")
    case .text(let text): PostgreSQLNamespace.literal(text)
    case .blob(let data):
      cast("\\x" + data.map { byte in Self.hexadecimal(byte) }.joined(), "bytea")
    case .uuid(let uuid): cast(uuid.uuidString, "uuid")
    case .decimal(let decimal): cast(decimal.description, "numeric")
    case .list: nil
    }
  }

  private static func hexadecimal(_ byte: UInt8) -> String {
    let digits = String(byte, radix: 16)
    return digits.count == 1 ? "0" + digits : digits
  }
}
