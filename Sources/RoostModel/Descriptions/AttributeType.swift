// SPDX-License-Identifier: Apache-2.0

/// The type of an attribute's values, with Core Data's number.
///
/// ```swift
/// let age = AttributeDescription(name: "age", type: .integer32)
/// ```
public struct AttributeType: RawRepresentable, Hashable, Sendable {
  /// Core Data's number, which is part of the version hash.
  public let rawValue: Int

  /// Makes a type from Core Data's number.
  public init(rawValue: Int) {
    self.rawValue = rawValue
  }

  /// No type: for transient attributes only.
  public static let undefined = AttributeType(rawValue: 0)
  /// `Int16`.
  public static let integer16 = AttributeType(rawValue: 100)
  /// `Int32`.
  public static let integer32 = AttributeType(rawValue: 200)
  /// `Int64`.
  public static let integer64 = AttributeType(rawValue: 300)
  /// `Decimal`, up to 38 digits.
  public static let decimal = AttributeType(rawValue: 400)
  /// `Double`.
  public static let double = AttributeType(rawValue: 500)
  /// `Float`.
  public static let float = AttributeType(rawValue: 600)
  /// `String`.
  public static let string = AttributeType(rawValue: 700)
  /// `Bool`.
  public static let boolean = AttributeType(rawValue: 800)
  /// `Date`.
  public static let date = AttributeType(rawValue: 900)
  /// `Data`.
  public static let binaryData = AttributeType(rawValue: 1000)
  /// `UUID`.
  public static let uuid = AttributeType(rawValue: 1100)
  /// `URL`.
  public static let uri = AttributeType(rawValue: 1200)
  /// A value of the program's own type, made into bytes by a registered codec.
  public static let transformable = AttributeType(rawValue: 1800)
  /// `ObjectID`: for columns of a fetch, not for attributes.
  public static let objectID = AttributeType(rawValue: 2000)
  /// Several named elements.
  public static let composite = AttributeType(rawValue: 2100)
}

// MARK: - Core Data's older names

extension AttributeType {
  /// ``undefined``.
  public static let undefinedAttributeType = undefined
  /// ``integer16``.
  public static let integer16AttributeType = integer16
  /// ``integer32``.
  public static let integer32AttributeType = integer32
  /// ``integer64``.
  public static let integer64AttributeType = integer64
  /// ``decimal``.
  public static let decimalAttributeType = decimal
  /// ``double``.
  public static let doubleAttributeType = double
  /// ``float``.
  public static let floatAttributeType = float
  /// ``string``.
  public static let stringAttributeType = string
  /// ``boolean``.
  public static let booleanAttributeType = boolean
  /// ``date``.
  public static let dateAttributeType = date
  /// ``binaryData``.
  public static let binaryDataAttributeType = binaryData
  /// ``uuid``.
  public static let UUIDAttributeType = uuid
  /// ``uri``.
  public static let URIAttributeType = uri
  /// ``transformable``.
  public static let transformableAttributeType = transformable
  /// ``objectID``.
  public static let objectIDAttributeType = objectID
  /// ``composite``.
  public static let compositeAttributeType = composite
}

// MARK: - Kinds

extension AttributeType {
  /// Whether the values are integers of 16, 32 or 64 bits.
  public var isInteger: Bool { self == .integer16 || self == .integer32 || self == .integer64 }

  /// Whether the values are numbers.
  public var isNumeric: Bool {
    isInteger || self == .double || self == .float || self == .decimal
  }

  /// How values are held in a row; nil for composites, whose elements have slots, and for unknown types.
  public var slotKind: SlotKind? {
    switch self {
    case .integer16, .integer32, .integer64: .integer
    case .decimal: .decimal
    case .double, .float: .double
    case .string: .string
    case .boolean: .boolean
    case .date: .date
    case .binaryData: .data
    case .uuid: .uuid
    case .uri: .uri
    case .transformable, .undefined: .transformable
    case .objectID: .reference
    default: nil
    }
  }

  /// The class of the values in Core Data.
  public var attributeValueClassName: String? {
    switch self {
    case .integer16, .integer32, .integer64, .double, .float, .boolean: "NSNumber"
    case .decimal: "NSDecimalNumber"
    case .string: "NSString"
    case .date: "NSDate"
    case .binaryData: "NSData"
    case .uuid: "NSUUID"
    case .uri: "NSURL"
    case .objectID: "NSManagedObjectID"
    case .composite: "NSDictionary"
    default: nil
    }
  }
}

extension AttributeType: CustomStringConvertible {
  /// The type's name, as `integer32`.
  public var description: String {
    switch self {
    case .undefined: "undefined"
    case .integer16: "integer16"
    case .integer32: "integer32"
    case .integer64: "integer64"
    case .decimal: "decimal"
    case .double: "double"
    case .float: "float"
    case .string: "string"
    case .boolean: "boolean"
    case .date: "date"
    case .binaryData: "binaryData"
    case .uuid: "uuid"
    case .uri: "uri"
    case .transformable: "transformable"
    case .objectID: "objectID"
    case .composite: "composite"
    default: "type \(rawValue)"
    }
  }
}
