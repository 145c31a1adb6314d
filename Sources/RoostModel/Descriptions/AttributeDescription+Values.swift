// SPDX-License-Identifier: Apache-2.0

import Foundation

extension AttributeDescription {
  /// The value of new objects; nil for none. Numbers come back as `NSNumber`, so that `as? Int` works. The default of
  /// a transformable attribute may be of any class: all new objects share the given instance, which the attribute's
  /// codec encodes on save. The model's check reports invalid defaults of other attributes.
  public final var defaultValue: Any? {
    get {
      if takesAnyDefault, let defaultObject { return defaultObject }
      return (defaultConstant.coerced(to: type) ?? defaultConstant).anyValue
    }
    set {
      let value = Value(any: newValue)
      defaultConstant = value ?? .null
      if value == nil {
        defaultTypeProblem = newValue.map { String(describing: Swift.type(of: $0)) }
      }
      if value.map({ !$0.isNull }) ?? true { defaultObject = newValue }
    }
  }

  /// Whether the default value may be of any class.
  final var takesAnyDefault: Bool { type == .transformable || type == .undefined }

  /// A default object, with the codec that the attribute has when it is saved.
  private var transformableDefault: Value? {
    guard takesAnyDefault, let defaultObject else { return nil }
    if let value = defaultObject as? any CodableAttribute { return value.attributeValue }
    if case .transformable(let value) = defaultConstant { return .transformable(value) }
    let late = TransformableCodec(name: name) { [self] in
      try self.codec().encode($0)
    } decode: { [self] in
      try self.codec().decode($0)
    }
    // It is only ever read, by the owner of an object that has it.
    let object = unsafeBitCast(defaultObject as Any, to: (any Sendable).self)
    return .transformable(TransformableValue(object, codec: late))
  }

  /// The default value; for an element of a composite, possibly a part of the composite's default.
  package final var initialValue: Value {
    if let transformableDefault { return transformableDefault }
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

  /// Returns `any` as a value, in its stored form. For a transformable attribute the attribute's codec encodes `any`
  /// at once, unless it is a ``CodableAttribute`` already.
  ///
  /// - Throws: `invalidValue` when `any` is of another type, out of range or refused by the value contract;
  ///   `transformation` when it cannot be encoded.
  public final func makeValue(from any: Any?) throws(PersistenceError) -> Value {
    if type == .transformable, let value = try makeTransformable(from: any) { return value }
    guard let value = Value(any: any) else {
      throw PersistenceError(
        .invalidValue, "A value of type \(TypeName.of(any)) is no \(type).",
        entityName: entity?.name,
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
