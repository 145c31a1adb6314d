// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

extension SQLValue {
  /// Creates the value of a column.
  ///
  /// - Throws: `transformation` for an object that was not transformed into bytes.
  init(_ value: Value) throws {
    switch value {
    case .null: self = .null
    case .integer(let number): self = .integer(number)
    case .double(let number): self = .real(number)
    case .boolean(let truth): self = .boolean(truth)
    case .string(let text): self = .text(text)
    case .date(let date): self = .real(date.timeIntervalSinceReferenceDate)
    case .data(let data): self = .blob(data)
    case .uuid(let uuid): self = .uuid(uuid)
    case .uri(let url): self = .text(url.absoluteString)
    case .decimal(let decimal): self = .decimal(decimal)
    case .objectID(let id): self = .integer(id.key)
    case .transformable(let object):
      guard let bytes = object.encoded else {
        throw PersistenceError(
          .transformation, "The default of a transformable attribute has no bytes to be stored.")
      }
      self = .blob(bytes)
    case .list, .composite:
      throw PersistenceError(.invalidValue, "A default that is no single value cannot be stored.")
    }
  }

  /// Returns the value as a literal for a definition, if the database reads it as exactly the same value; nil for
  /// other values, and for values that are better bound.
  func literal(_ dialect: SQLDialect) -> String? {
    switch self {
    case .integer(let number):
      return number.magnitude < 1 << 62 ? String(number) : nil
    case .boolean(let truth): return dialect.truth(truth)
    case .real(let number):
      // SQLite reads the digits of some other numbers as a neighbouring double.
      guard number.magnitude < 0x1p40, number == number.rounded(), number.sign == .plus else {
        return nil
      }
      return "\(Int64(number)).0"
    case .text(let text):
      let isPlain = text.unicodeScalars.allSatisfy {
        $0 != "'" && $0 != "\\" && $0.value >= 0x20 && $0.value != 0x7F
      }
      return isPlain && text.utf8.count <= 200 ? "'\(text)'" : nil
    case .null, .blob, .uuid, .decimal, .list: return nil
    }
  }
}
