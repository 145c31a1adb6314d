// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

/// A row of the value table: a value of an attribute type, and what must come of it.
struct ValueRow: Sendable {
  let type: AttributeType
  let name: String
  let value: Value
  let fate: Fate
  /// The row of the value contract, or a behaviour, that it proves.
  let contract: String

  enum Fate: Sendable {
    /// It is read back, bit by bit.
    case kept
    /// It is read back as another value, bit by bit.
    case becomes(Value)
    /// It is never written: the save throws.
    case refused
  }

  init(
    _ type: AttributeType, _ name: String, _ value: Value, _ fate: Fate = .kept,
    _ contract: String = "round trip"
  ) {
    self.type = type
    self.name = name
    self.value = value
    self.fate = fate
    self.contract = contract
  }

  /// The value as a program passes it.
  var native: Any? {
    ValueRow.native(value)
  }

  static func native(_ value: Value) -> Any? {
    switch value {
    case .null: nil
    case .integer(let number): number
    case .double(let number): number
    case .boolean(let truth): truth
    case .string(let text): text
    case .date(let date): date
    case .data(let data): data
    case .uuid(let uuid): uuid
    case .uri(let url): url
    case .decimal(let number): number
    case .objectID(let id): id
    case .transformable(let content): content.object
    case .list(let values): values
    case .composite(let elements): elements
    }
  }
}

/// All rows of the value table.
enum ValueTable {
  static let rows: [ValueRow] =
    integers + doubles + floats + strings + decimals + dates + bytes + identifiers
}
