// SPDX-License-Identifier: Apache-2.0

import RoostModel

// The mapping of an attribute's value to the slots of a row: one slot, or one for each element of a composite.
extension AttributeDescription {
  /// The slots that hold the value.
  var slots: [RowSlot] {
    if let slot { return [slot] }
    return (self as? CompositeAttributeDescription)?.elementAttributes.flatMap(\.slots) ?? []
  }

  /// The value in a row.
  func value(in row: Row) -> Value {
    if let slot { return row.value(at: slot) }
    guard let composite = self as? CompositeAttributeDescription else { return .null }
    var elements: [String: Value] = [:]
    for element in composite.elementAttributes {
      let value = element.value(in: row)
      if !value.isNull { elements[element.name] = value }
    }
    return elements.isEmpty ? .null : .composite(elements)
  }

  /// The slots of the attribute, each with the part of a value to store in it.
  ///
  /// - Throws: `invalidValue` when the value is of another type.
  func parts(of value: Value) throws(PersistenceError) -> [(slot: RowSlot, value: Value)] {
    if let slot { return [(slot, try slotValue(of: value))] }
    guard let composite = self as? CompositeAttributeDescription else { throw mismatch(value) }
    var elements: [String: Value] = [:]
    switch value {
    case .null: break
    case .composite(let given): elements = given
    default: throw mismatch(value)
    }
    let names = Set(composite.elementAttributes.map(\.name))
    guard elements.keys.allSatisfy(names.contains) else { throw mismatch(value) }
    var result: [(slot: RowSlot, value: Value)] = []
    for element in composite.elementAttributes {
      result += try element.parts(of: elements[element.name] ?? .null)
    }
    return result
  }

  /// Returns the value to store in the slot of an attribute that has one.
  ///
  /// - Throws: `invalidValue` when the value is of another type.
  func slotValue(of value: Value) throws(PersistenceError) -> Value {
    guard let coerced = value.coerced(to: type), fits(coerced) else { throw mismatch(value) }
    return rounded(coerced)
  }

  /// Rounds a float to single precision, as the typed accessors do.
  private func rounded(_ value: Value) -> Value {
    guard type == .float, case .double(let number) = value else { return value }
    return .double(Double(Float(number)))
  }

  /// Whether a number fits the attribute's width.
  private func fits(_ value: Value) -> Bool {
    if type == .float, case .double(let number) = value {
      return !number.isFinite || Float(number).isFinite
    }
    guard case .integer(let number) = value else { return true }
    switch type {
    case .integer16: return Int16(exactly: number) != nil
    case .integer32: return Int32(exactly: number) != nil
    default: return true
    }
  }

  private func mismatch(_ value: Value) -> PersistenceError {
    PersistenceError(
      .invalidValue, "\(name) takes no such value.", entityName: entity?.name, key: name,
      value: value)
  }
}

extension AttributeDescription {
  /// The attributes that have slots: the attribute itself, or the elements of a composite of all levels, in order.
  var leafAttributes: [AttributeDescription] {
    guard let composite = self as? CompositeAttributeDescription else { return [self] }
    return composite.elementAttributes.flatMap(\.leafAttributes)
  }

  /// Returns the element that names lead to; nil when the composite has none.
  func element(along path: ArraySlice<String>) -> AttributeDescription? {
    guard let first = path.first else { return self }
    guard let composite = self as? CompositeAttributeDescription else { return nil }
    return composite.elementAttributes.first { $0.name == first }?.element(along: path.dropFirst())
  }
}

extension CompositeAttributeDescription {
  /// The elements; the model's validation has checked that all are attributes (B6).
  var elementAttributes: [AttributeDescription] {
    elements.compactMap { $0 as? AttributeDescription }
  }
}
