// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// A data type of the server by its OID, which is the same in every PostgreSQL version.
struct PostgreSQLType: Hashable, Sendable {
  let number: UInt32
  /// The OID of the array type.
  let listNumber: UInt32

  static let boolean = PostgreSQLType(number: 16, listNumber: 1000)
  static let bytes = PostgreSQLType(number: 17, listNumber: 1001)
  static let integer = PostgreSQLType(number: 20, listNumber: 1016)
  static let smallInteger = PostgreSQLType(number: 23, listNumber: 1007)
  static let text = PostgreSQLType(number: 25, listNumber: 1009)
  static let double = PostgreSQLType(number: 701, listNumber: 1022)
  static let numeric = PostgreSQLType(number: 1700, listNumber: 1231)
  static let uuid = PostgreSQLType(number: 2950, listNumber: 2951)

  /// No type: the server works it out from the statement.
  static let unknown = PostgreSQLType(number: 0, listNumber: 0)

  private init(number: UInt32, listNumber: UInt32) {
    self.number = number
    self.listNumber = listNumber
  }

  /// The type of the columns for a kind of slot.
  init(_ kind: SlotKind) {
    self =
      switch kind {
      case .integer, .reference, .position: .integer
      case .boolean: .boolean
      case .double, .date: .double
      case .string, .uri: .text
      case .data, .transformable: .bytes
      case .uuid: .uuid
      case .decimal: .numeric
      }
  }

  private static let known: [PostgreSQLType] = [
    .boolean, .bytes, .integer, .smallInteger, .text, .double, .numeric, .uuid,
  ]

  /// Returns the name of a column's type; for an unknown type, or one with a modifier, a name that matches none of
  /// these.
  static func name(ofNumber number: Int64, modifier: Int64) -> String {
    guard modifier == -1, let type = known.first(where: { $0.number == number }) else {
      return "type \(number) with modifier \(modifier)"
    }
    return type.name
  }

  /// The SQL name of the type.
  var name: String {
    switch self {
    case .boolean: "boolean"
    case .bytes: "bytea"
    case .integer: "bigint"
    case .smallInteger: "integer"
    case .text: "text"
    case .double: "double precision"
    case .numeric: "numeric"
    default: "uuid"
    }
  }
}
