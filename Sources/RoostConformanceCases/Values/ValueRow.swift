// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostModel

/// A row of the value table: a value of an attribute type, and its expected results.
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
  var native: Any? { value.native }
}

/// All rows of the value table.
enum ValueTable {
  static let rows: [ValueRow] =
    integers + doubles + floats + strings + decimals + dates + bytes + identifiers
}
