// SPDX-License-Identifier: Apache-2.0

import Foundation

// Conversion from and to `Any`, as in Core Data programs.
extension Value {
  /// Makes a value from any supported type: Swift's and Foundation's numbers, strings, dates, data, UUIDs, URLs,
  /// `NSNull`, object IDs, arrays and dictionaries of these, and types that conform to ``AttributeValue``. nil for
  /// other types.
  public init?(any: Any?) {
    guard let any else {
      self = .null
      return
    }
    if let value = Value(usual: any) {
      self = value
      return
    }
    switch any {
    case let value as Value: self = value
    case let value as any AttributeValue
    where !(value is any Collection) || value is String || value is Data:
      self = value.attributeValue
    case let id as ObjectID: self = .objectID(id)
    case let value as TransformableValue: self = .transformable(value)
    default:
      guard let value = Value(number: any) ?? Value(object: any) ?? Value(collection: any) else {
        return nil
      }
      self = value
    }
  }

  /// Makes a value of an attribute type; nil when `any` has another type or the conversion loses information.
  ///
  /// ```swift
  /// Value(any: NSNumber(value: 36), type: .integer32)   // .integer(36)
  /// Value(any: "36", type: .integer32)                  // nil
  /// ```
  public init?(any: Any?, type: AttributeType) {
    if type == .transformable, let value = any as? any CodableAttribute {
      self = value.attributeValue
      return
    }
    guard let value = Value(any: any)?.coerced(to: type) else { return nil }
    self = value
  }

  /// The value as programs expect it: numbers and Booleans as `NSNumber`, so that `as? Int` works, decimals as
  /// `NSDecimalNumber`, all others as Swift types.
  public var anyValue: Any? {
    switch self {
    case .null: nil
    case .integer(let number): SharedNumbers.number(number)
    case .double(let number): NSNumber(value: number)
    case .boolean(let truth): SharedNumbers.truth(truth)
    case .string(let text): text
    case .date(let date): date
    case .data(let data): data
    case .uuid(let uuid): uuid
    case .uri(let url): url
    case .decimal(let number): NSDecimalNumber(decimal: number)
    case .objectID(let id): id
    case .transformable(let value): value.wrapped?.anyValue ?? value.object ?? value.encoded
    case .list(let values): values.map { $0.anyValue ?? NSNull() }
    case .composite(let elements): elements.compactMapValues(\.anyValue)
    }
  }
}

// MARK: - Foundation's types

extension Value {
  /// Makes a value from one of the most frequent types. Types are compared exactly, because a cast that may involve a
  /// conformance or bridging takes many times as long.
  private init?(usual any: Any) {
    let type = Swift.type(of: any)
    if type == Int.self, let number = any as? Int {
      self = .integer(Int64(number))
    } else if type == String.self, let text = any as? String {
      self = .string(text)
    } else if type == Double.self, let number = any as? Double {
      self = .double(number)
    } else if type == Bool.self, let truth = any as? Bool {
      self = .boolean(truth)
    } else if type == Int32.self, let number = any as? Int32 {
      self = .integer(Int64(number))
    } else if type == Int64.self, let number = any as? Int64 {
      self = .integer(number)
    } else if type == Int16.self, let number = any as? Int16 {
      self = .integer(Int64(number))
    } else if type == Date.self, let date = any as? Date {
      self = .date(date)
    } else if type == NSNumber.self, let number = any as? NSNumber {
      self.init(number)
    } else {
      return nil
    }
  }

  /// Makes a value from a number that is not an ``AttributeValue``. Objects are checked first, because Foundation's
  /// numbers can be cast to every Swift number type.
  private init?(number any: Any) {
    if Swift.type(of: any) is AnyClass {
      guard let number = any as? NSNumber else { return nil }
      self.init(number)
      return
    }
    switch any {
    case let number as Int8: self = .integer(Int64(number))
    case let number as UInt8: self = .integer(Int64(number))
    case let number as UInt16: self = .integer(Int64(number))
    case let number as UInt32: self = .integer(Int64(number))
    case let number as UInt: self.init(unsigned: UInt64(number))
    case let number as UInt64: self.init(unsigned: number)
    default: return nil
    }
  }

  private init?(unsigned number: UInt64) {
    guard let integer = Int64(exactly: number) else { return nil }
    self = .integer(integer)
  }

  private init?(_ number: NSNumber) {
    if let number = number as? NSDecimalNumber {
      self = .decimal(number.decimalValue)
      return
    }
    // Foundation has one object for each Boolean, and no other portable way to distinguish them from numbers.
    if number === SharedNumbers.truth(true) || number === SharedNumbers.truth(false) {
      self = .boolean(number.boolValue)
      return
    }
    switch number.objCType.pointee {
    case CChar(UInt8(ascii: "d")), CChar(UInt8(ascii: "f")): self = .double(number.doubleValue)
    case CChar(UInt8(ascii: "Q")): self.init(unsigned: number.uint64Value)
    default: self = .integer(number.int64Value)
    }
  }

  private init?(object any: Any) {
    switch any {
    case is NSNull: self = .null
    case let text as NSString: self = .string(text as String)
    case let date as NSDate: self = .date(date as Date)
    case let data as NSData: self = .data(data as Data)
    case let uuid as NSUUID: self = .uuid(uuid as UUID)
    case let url as NSURL: self = .uri(url as URL)
    case let text as Substring: self = .string(String(text))
    default: return nil
    }
  }

  private init?(collection any: Any) {
    if let elements = any as? [String: Any] {
      var values: [String: Value] = [:]
      for (key, element) in elements {
        guard let value = Value(any: element) else { return nil }
        values[key] = value
      }
      self = .composite(values)
    } else if let elements = any as? [Any] {
      var values: [Value] = []
      for element in elements {
        guard let value = Value(any: element) else { return nil }
        values.append(value)
      }
      self = .list(values)
    } else {
      return nil
    }
  }
}
