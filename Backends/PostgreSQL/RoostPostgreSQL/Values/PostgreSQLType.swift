// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// A type of values of the server, by its number, which is the same in every PostgreSQL.
struct PostgreSQLType: Hashable, Sendable {
  let number: UInt32
  /// The number of the type of lists of such values.
  let listNumber: UInt32

  static let boolean = PostgreSQLType(number: 16, listNumber: 1000)
  static let bytes = PostgreSQLType(number: 17, listNumber: 1001)
  static let integer = PostgreSQLType(number: 20, listNumber: 1016)
  static let smallInteger = PostgreSQLType(number: 23, listNumber: 1007)
  static let text = PostgreSQLType(number: 25, listNumber: 1009)
  static let double = PostgreSQLType(number: 701, listNumber: 1022)
  static let numeric = PostgreSQLType(number: 1700, listNumber: 1231)
  static let uuid = PostgreSQLType(number: 2950, listNumber: 2951)

  private init(number: UInt32, listNumber: UInt32) {
    self.number = number
    self.listNumber = listNumber
  }

  /// The type of the columns that hold a kind of slot.
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

  /// The name of the type of a column; of a foreign one, or one with a modifier, some name that none of these has.
  static func name(ofNumber number: Int64, modifier: Int64) -> String {
    guard modifier == -1, let type = known.first(where: { $0.number == number }) else {
      return "type \(number) with modifier \(modifier)"
    }
    return type.name
  }

  /// What the type is called.
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
