// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostModel

/// A value that is bound to a parameter of a statement. Values reach a database in no other way.
///
/// ```swift
/// switch value {
/// case .integer(let number): bind(number, at: position)
/// case .text(let text): bind(text, at: position)
/// default: bind(value.bytes, at: position)
/// }
/// ```
public enum SQLValue: Sendable, Hashable {
  /// No value.
  case null
  /// An integer, a key or a code.
  case integer(Int64)
  /// A double, or the seconds of a date.
  case real(Double)
  /// A text, or a URI.
  case text(String)
  /// Bytes.
  case blob(Data)
  /// A boolean.
  case boolean(Bool)
  /// A UUID.
  case uuid(UUID)
  /// A decimal.
  case decimal(Decimal)
  /// Any number of values in one parameter.
  case list(SQLList)
}

extension SQLValue {
  /// The bytes of a value in a database without a type for it: those of a UUID, or a decimal in an order-preserving
  /// encoding.
  public var bytes: Data {
    switch self {
    case .blob(let data): data
    case .uuid(let uuid): withUnsafeBytes(of: uuid.uuid) { Data($0) }
    case .decimal(let decimal): DecimalCode.encode(decimal)
    default: Data()
    }
  }
}

/// Many values that are bound to one parameter, so that a long `IN` meets no parameter limit and shares its
/// statement's text.
///
/// ```swift
/// if case .list(let list) = value { bind(list.json, at: position) }
/// ```
public struct SQLList: Sendable, Hashable {
  /// The encoding of the values.
  ///
  /// ```swift
  /// precondition(list.form == .plain)
  /// ```
  public enum Form: Sendable, Hashable {
    /// As they are.
    case plain
    /// Doubles as the integer of their bits: decimal digits would not be exact.
    case doubleBits
    /// Bytes as hexadecimal digits.
    case hexadecimal
  }

  /// The encoding of the values.
  public let form: Form
  /// The values.
  public let values: [SQLValue]

  /// Creates a list of values of one type; nulls are left out.
  package init(_ values: [SQLValue]) {
    self.values = values.filter { $0 != .null }
    form =
      switch self.values.first {
      case .real: .doubleBits
      case .blob, .uuid, .decimal: .hexadecimal
      default: .plain
      }
  }

  /// The values as a JSON array.
  public var json: String {
    var text = "["
    for (index, value) in values.enumerated() {
      if index > 0 { text += "," }
      switch value {
      case .integer(let number): text += String(number)
      case .real(let number): text += String(Int64(bitPattern: number.bitPattern))
      case .text(let string): Self.appendQuoted(string, to: &text)
      case .boolean(let truth): text += truth ? "1" : "0"
      case .blob, .uuid, .decimal: Self.appendHexadecimal(value.bytes, to: &text)
      case .null, .list: text += "null"
      }
    }
    return text + "]"
  }

  private static func appendQuoted(_ string: String, to text: inout String) {
    text += "\""
    for scalar in string.unicodeScalars {
      switch scalar {
      case "\"": text += "\\\""
      case "\\": text += "\\\\"
      case _ where scalar.value < 0x20:
        let digits = String(scalar.value, radix: 16)
        text += "\\u" + String(repeating: "0", count: 4 - digits.count) + digits
      default: text.unicodeScalars.append(scalar)
      }
    }
    text += "\""
  }

  private static func appendHexadecimal(_ data: Data, to text: inout String) {
    text += "\""
    for byte in data {
      if byte < 16 { text += "0" }
      text += String(byte, radix: 16)
    }
    text += "\""
  }
}
