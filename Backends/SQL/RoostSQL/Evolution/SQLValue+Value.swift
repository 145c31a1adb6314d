// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

extension SQLValue {
  /// The value as a column holds it.
  ///
  /// - Throws: `transformation` for an object that nobody has turned into bytes.
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

  /// The value as it stands in a definition, where it is read there as exactly the same value; nil elsewhere, and for
  /// what is better bound.
  func literal(_ dialect: SQLDialect) -> String? {
    switch self {
    case .integer(let number):
      return number.magnitude < 1 << 62 ? String(number) : nil
    case .boolean(let truth): return dialect.truth(truth)
    case .real(let number):
      // Of other numbers, SQLite reads some digits as a neighbour.
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
