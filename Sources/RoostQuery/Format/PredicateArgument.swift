// SPDX-License-Identifier: Apache-2.0

import Foundation
package import RoostModel

/// Converts an argument for a placeholder or a variable to an expression.
///
/// The supported types are those of attributes, numbers of all widths, objects and their IDs, entities, and
/// collections of these. A Boolean becomes the number 1 or 0, as in Core Data, so that every way of writing a
/// predicate gives the same tree; the resolver converts it back for a Boolean attribute.
package enum PredicateArgument {
  /// Returns the expression for `argument`; nil when its type is not supported in predicates.
  static func expression(_ argument: Any?) -> FetchExpression? {
    guard let argument = unwrapped(argument) else { return .constant(.null) }
    if argument is NSNull { return .nullObject }
    if let expression = argument as? FetchExpression { return expression }
    if let value = scalar(argument) { return canonical(value) }
    return list(argument)
  }

  /// Returns the value as a predicate's constant: Booleans are numbers, a list is a list of expressions.
  package static func canonical(_ value: Value) -> FetchExpression? {
    switch value {
    case .boolean(let truth): return .constant(.integer(truth ? 1 : 0))
    case .double(let number):
      guard !number.isNaN else { return nil }
      return .constant(.double(number == 0 ? 0 : number))
    case .decimal(let number): return number.isNaN ? nil : .constant(value)
    case .string(let text): return text.hasNUL ? nil : .constant(value)
    case .list(let values):
      let members = values.compactMap(canonical)
      return members.count == values.count ? .list(members) : nil
    case .composite: return nil
    default: return .constant(value)
    }
  }

  static func scalar(_ argument: Any) -> Value? {
    if let value = argument as? Value { return value }
    if let attribute = argument as? any AttributeValue, !isList(argument) {
      return attribute.attributeValue
    }
    if let object = argument as? any ObjectIDConvertible { return .objectID(object.objectID) }
    if let entity = argument as? EntityDescription { return entity.name.map(Value.string) }
    if let integer = argument as? any BinaryInteger {
      return Int64(exactly: integer).map(Value.integer)
    }
    if let number = argument as? any BinaryFloatingPoint { return .double(Double(number)) }
    if let number = argument as? NSNumber { return self.number(number) }
    if let text = argument as? any StringProtocol { return .string(String(text)) }
    if let raw = argument as? any RawRepresentable { return scalar(raw.rawValue) }
    return reference(argument)
  }

  /// Whether the argument is a collection of values, even if an attribute could hold it as one value.
  static func isList(_ argument: Any) -> Bool {
    argument is any Collection && !(argument is any StringProtocol || argument is Data)
  }

  /// Converts instances of Foundation classes, as in older code.
  private static func reference(_ argument: Any) -> Value? {
    switch argument {
    case let text as NSString: .string(text as String)
    case let date as NSDate: .date(date as Date)
    case let data as NSData: .data(data as Data)
    case let uuid as NSUUID: .uuid(uuid as UUID)
    case let url as NSURL: .uri(url as URL)
    default: nil
    }
  }

  private static func number(_ number: NSNumber) -> Value? {
    if let decimal = number as? NSDecimalNumber { return .decimal(decimal.decimalValue) }
    switch UInt8(bitPattern: number.objCType.pointee) {
    case UInt8(ascii: "d"), UInt8(ascii: "f"): return .double(number.doubleValue)
    case UInt8(ascii: "Q"): return Int64(exactly: number.uint64Value).map(Value.integer)
    default: return .integer(number.int64Value)
    }
  }

  private static func list(_ argument: Any) -> FetchExpression? {
    // Foundation's collections are sequences, too. Bridged to one of them, a Swift array of optionals would contain
    // `NSNull` for nil.
    guard let members = argument as? any Sequence else { return nil }
    return list(of: members)
  }

  private static func list(of members: some Sequence) -> FetchExpression? {
    var expressions: [FetchExpression] = []
    for member in members {
      guard let expression = expression(member) else { return nil }
      expressions.append(expression)
    }
    return .list(expressions)
  }

  static func unwrapped(_ argument: Any?) -> Any? {
    var current = argument
    while let value = current {
      guard let optional = value as? any OptionalArgument else { return value }
      current = optional.anyValue
    }
    return nil
  }
}

/// An optional inside of an `Any`.
private protocol OptionalArgument {
  var anyValue: Any? { get }
}

extension Optional: OptionalArgument {
  fileprivate var anyValue: Any? { map { $0 } }
}
