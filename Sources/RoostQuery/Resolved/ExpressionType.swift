// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The type of an expression, as relevant for comparisons.
enum ExpressionType: Equatable {
  case integer, double, decimal, boolean, string, date, data, uuid, uri, transformable
  /// An object, or its ID.
  case object
  case entity
  /// nil, or an expression whose type is not known before it is evaluated.
  case unknown

  init(_ type: AttributeType) {
    self =
      switch type {
      case .integer16, .integer32, .integer64: .integer
      case .double, .float: .double
      case .decimal: .decimal
      case .boolean: .boolean
      case .string: .string
      case .date: .date
      case .binaryData: .data
      case .uuid: .uuid
      case .uri: .uri
      case .objectID: .object
      case .transformable, .composite: .transformable
      default: .unknown
      }
  }

  init(_ value: Value) {
    self =
      switch value {
      case .integer: .integer
      case .double: .double
      case .decimal: .decimal
      case .boolean: .boolean
      case .string: .string
      case .date: .date
      case .data: .data
      case .uuid: .uuid
      case .uri: .uri
      case .objectID: .object
      case .transformable: .transformable
      case .null, .list, .composite: .unknown
      }
  }

  var isNumeric: Bool {
    switch self {
    case .integer, .double, .decimal, .boolean: true
    default: false
    }
  }

  /// Whether values are ordered.
  var isOrdered: Bool {
    switch self {
    case .object, .entity, .transformable: false
    default: true
    }
  }

  /// Whether values of the two types can be compared.
  func isComparable(with other: ExpressionType) -> Bool {
    self == other || self == .unknown || other == .unknown || (isNumeric && other.isNumeric)
  }

  /// The type for a column; undefined when it is not known.
  var attributeType: AttributeType {
    switch self {
    case .integer: .integer64
    case .double: .double
    case .decimal: .decimal
    case .boolean: .boolean
    case .string, .entity: .string
    case .date: .date
    case .data: .binaryData
    case .uuid: .uuid
    case .uri: .uri
    case .transformable: .transformable
    case .object: .objectID
    case .unknown: .undefined
    }
  }

  /// The name of the type in an error message.
  var name: String {
    switch self {
    case .integer: "an integer"
    case .double: "a number"
    case .decimal: "a decimal"
    case .boolean: "a truth value"
    case .string: "a string"
    case .date: "a date"
    case .data: "data"
    case .uuid: "a UUID"
    case .uri: "a URI"
    case .transformable: "a transformable value"
    case .object: "an object"
    case .entity: "an entity"
    case .unknown: "a value"
    }
  }
}
