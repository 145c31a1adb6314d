// SPDX-License-Identifier: Apache-2.0

import Foundation

extension AttributeDescription {
  /// The value of new objects; nil for none. Numbers come back as `NSNumber`, so that `as? Int` works. What the
  /// attribute cannot have is reported by the model's check.
  public final var defaultValue: Any? {
    get { (defaultConstant.coerced(to: type) ?? defaultConstant).anyValue }
    set {
      if let value = Value(any: newValue) {
        defaultConstant = value
      } else {
        defaultConstant = .null
        defaultTypeProblem = newValue.map { String(describing: Swift.type(of: $0)) }
      }
    }
  }

  /// The default value, for an element of a composite perhaps part of the composite's.
  final var initialValue: Value {
    if !defaultConstant.isNull { return defaultConstant }
    var path: [String] = []
    var attribute = self
    for _ in 0...CompositeAttributeDescription.largestDepth {
      guard let composite = attribute.composite.owner else { return .null }
      path.insert(attribute.name, at: 0)
      if !composite.defaultConstant.isNull {
        return path.reduce(composite.defaultConstant) { value, name in
          guard case .composite(let elements) = value else { return .null }
          return elements[name] ?? .null
        }
      }
      attribute = composite
    }
    return .null
  }

  /// Returns the value that `any` stands for, in the form in which stores keep it. For a transformable attribute the
  /// attribute's codec encodes `any` at once, unless it is a ``CodableAttribute`` already.
  ///
  /// - Throws: `invalidValue` when `any` is of another type, out of range or refused by the value contract;
  ///   `transformation` when it cannot be encoded.
  public final func makeValue(from any: Any?) throws(PersistenceError) -> Value {
    if type == .transformable, let value = try makeTransformable(from: any) { return value }
    guard let value = Value(any: any) else {
      let typeName = any.map { String(describing: Swift.type(of: $0)) } ?? "nil"
      throw PersistenceError(
        .invalidValue, "A value of type \(typeName) is no \(type).", entityName: entity?.name,
        key: name)
    }
    return try ValueCheck.check(value, for: self)
  }

  private func makeTransformable(from any: Any?) throws(PersistenceError) -> Value? {
    guard let any, !(any is Value), !(any is TransformableValue), !isNil(any) else { return nil }
    if valueTransformerName != nil || transformableCodec != nil {
      let codec = try codec()
      return .transformable(TransformableValue(object: nil, encoded: try codec.encode(any)))
    }
    return Value(any: any, type: .transformable)
  }

  /// Whether `any` is `NSNull` or an optional without a value.
  private func isNil(_ any: Any) -> Bool {
    if any is NSNull { return true }
    guard let optional = any as? any AttributeValue else { return false }
    return optional.attributeValue.isNull
  }

  /// Returns a value as a program expects it, a transformable one decoded.
  ///
  /// - Throws: `transformation` when bytes cannot be decoded.
  public final func makeAny(from value: Value) throws(PersistenceError) -> Any? {
    guard case .transformable(let transformable) = value, transformable.object == nil,
      transformable.encoded != nil
    else { return value.anyValue }
    return try transformable.object(decodedBy: try codec())
  }
}
