// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// The declaration of a property by `@Entity`.
///
/// ```swift
/// PropertyDeclaration.property("age", .of(Int32.self, default: 0), .indexed, minimum: 0)
/// PropertyDeclaration.relationship(
///   "people", .to(Set<Person>.self), deleteRule: .cascade, inverse: "department", { $0.department })
/// ```
public struct PropertyDeclaration: Sendable {
  enum Content: Sendable {
    case attribute(AttributeDeclaration)
    case relationship(RelationshipDeclaration)
  }

  /// The property's name.
  public let name: String
  private(set) var content: Content

  /// Declares a property by its Swift type; the parameters are those of `@Attribute`.
  ///
  /// - Parameters:
  ///   - name: The property's name.
  ///   - type: The Swift type and the initial value.
  ///   - renewsDefault: Whether the initial value is computed for each object, as `UUID()` must be.
  public static func property(
    _ name: String, _ type: PropertyType, _ options: AttributeOption...,
    originalName: String? = nil, versionHashModifier: String? = nil,
    minimum: (any AttributeValue)? = nil, maximum: (any AttributeValue)? = nil,
    matching: String? = nil, transformer: String? = nil, derivation: String? = nil,
    userInfo: [String: any Sendable] = [:], renewsDefault: Bool = false
  ) -> PropertyDeclaration {
    switch type.content {
    case .attribute(var attribute):
      attribute.options = Set(options)
      attribute.originalName = originalName
      attribute.versionHashModifier = versionHashModifier
      attribute.minimum = minimum?.attributeValue
      attribute.maximum = maximum?.attributeValue
      attribute.pattern = matching
      if let transformer { attribute.transform(by: transformer) }
      attribute.derivation = derivation
      attribute.userInfo = userInfo
      attribute.renewsDefault = renewsDefault
      return PropertyDeclaration(name: name, content: .attribute(attribute))
    case .relationship(var relationship):
      relationship.isTransient = options.contains(.transient)
      relationship.originalName = originalName
      relationship.versionHashModifier = versionHashModifier
      relationship.userInfo = userInfo
      return PropertyDeclaration(name: name, content: .relationship(relationship))
    }
  }

  /// Declares a relationship without naming its inverse; the parameters are those of `@Relationship`.
  ///
  /// - Parameters:
  ///   - name: The property's name.
  ///   - type: The Swift type.
  public static func relationship<Destination: ManagedObject>(
    _ name: String, _ type: RelationshipType<Destination>, _ options: RelationshipOption...,
    deleteRule: DeleteRule = .nullify, minCount: Int = 0, maxCount: Int = 0, ordered: Bool = false,
    transient: Bool = false,
    originalName: String? = nil, versionHashModifier: String? = nil,
    userInfo: [String: any Sendable] = [:]
  ) -> PropertyDeclaration {
    var relationship = type.declaration
    relationship.deleteRule = deleteRule
    relationship.minCount = minCount
    if relationship.isToMany {
      relationship.maxCount = maxCount
      relationship.isOrdered = relationship.isOrdered || ordered
      relationship.isOptional = minCount == 0
    }
    relationship.isTransient = transient
    relationship.crossesStores = options.contains(.crossesStores)
    relationship.originalName = originalName
    relationship.versionHashModifier = versionHashModifier
    relationship.userInfo = userInfo
    return PropertyDeclaration(name: name, content: .relationship(relationship))
  }

  /// Declares a relationship with its inverse; the parameters are those of `@Relationship`.
  ///
  /// - Parameters:
  ///   - name: The property's name.
  ///   - type: The Swift type.
  ///   - inverse: The name of the destination's inverse property.
  ///   - proof: Reads this property, so that the compiler looks it up; it is never called.
  public static func relationship<Destination: ManagedObject, Property>(
    _ name: String, _ type: RelationshipType<Destination>, _ options: RelationshipOption...,
    deleteRule: DeleteRule = .nullify, inverse: String, _ proof: (Destination) -> Property,
    minCount: Int = 0, maxCount: Int = 0,
    ordered: Bool = false, transient: Bool = false, originalName: String? = nil,
    versionHashModifier: String? = nil, userInfo: [String: any Sendable] = [:]
  ) -> PropertyDeclaration {
    var declaration = PropertyDeclaration.relationship(
      name, type, deleteRule: deleteRule, minCount: minCount, maxCount: maxCount, ordered: ordered,
      transient: transient, originalName: originalName, versionHashModifier: versionHashModifier,
      userInfo: userInfo)
    if case .relationship(var relationship) = declaration.content {
      relationship.inverseName = inverse
      relationship.crossesStores = options.contains(.crossesStores)
      declaration.content = .relationship(relationship)
    }
    return declaration
  }

  /// Computes the initial value of the property in a new object; nil when there is none.
  var initialValue: Value? {
    guard case .attribute(let attribute) = content else { return nil }
    return attribute.makeDefault?()
  }

  /// A closure that computes the initial value for each new object; nil when the model's constant default suffices.
  var makeRenewedDefault: (@Sendable () -> Value)? {
    guard case .attribute(let attribute) = content, attribute.renewsDefault else { return nil }
    return attribute.makeDefault
  }
}

/// The declaration of an attribute.
struct AttributeDeclaration: Sendable {
  var type: AttributeType
  /// The type of the property.
  let valueType: Any.Type
  var isOptional: Bool
  var makeDefault: (@Sendable () -> Value)?
  /// Creates the initial value as an object, not as a `Value`; nil for none.
  var makeObject: (@Sendable () -> (any Sendable)?)?
  var renewsDefault = false
  /// The codec of a `Codable` type that has no attribute type of its own.
  var codec: TransformableCodec?
  /// The type of the elements, for an array or a set of values.
  var elementType: AttributeType?
  /// The declaration of the elements, for a composite.
  var composite: CompositeDeclaration?
  /// The type of the property, if the attribute holds its raw values.
  var choiceType: Any.Type?
  /// Whether the property's type has a value for a missing one.
  var canBeMissing: @Sendable () -> Bool

  var options: Set<AttributeOption> = []
  var originalName: String?
  var versionHashModifier: String?
  var minimum: Value?
  var maximum: Value?
  var pattern: String?
  var transformerName: String?
  var derivation: String?
  var userInfo: [String: any Sendable] = [:]

  /// Declares an attribute whose values a row holds directly.
  init<T: AttributeValue>(_ type: T.Type) {
    self.type = T.attributeType
    valueType = T.self
    isOptional = T.isOptionalValue
    canBeMissing = { true }
    codec =
      (type as? any CodableAttribute.Type)?.codec ?? (type as? any CodecBearing.Type)?.codecOfValues
    elementType = (type as? any AttributeCollection.Type)?.elementType
  }

  /// Declares an attribute whose values a codec encodes (B64).
  init<T: Codable & Sendable>(transformable type: T.Type, isOptional: Bool) {
    self.type = .transformable
    valueType = T.self
    self.isOptional = isOptional
    canBeMissing = { MissingValue.of(T.self) != nil }
    codec = .of(type)
    elementType = (type as? any AttributeCollection.Type)?.elementType
  }
}

extension AttributeDeclaration {
  /// Uses the codec with a name to encode the values, whatever their type is (B64).
  mutating func transform(by name: String) {
    let codec = TransformableCodec.named(name, orOf: codec)
    transformerName = name
    type = .transformable
    composite = nil
    elementType = nil
    guard let makeObject else { return }
    makeDefault = {
      guard let object = makeObject() else { return .null }
      return .transformable(TransformableValue(object, codec: codec))
    }
  }
}

/// An optional of a type that knows its codec.
private protocol CodecBearing {
  static var codecOfValues: TransformableCodec { get }
}

extension Optional: CodecBearing where Wrapped: CodableAttribute {
  fileprivate static var codecOfValues: TransformableCodec { Wrapped.codec }
}

/// The declaration of a relationship.
struct RelationshipDeclaration: Sendable {
  var destination: ManagedObject.Type
  var isToMany: Bool
  var isOrdered = false
  var isOptional = true

  var deleteRule = DeleteRule.nullify
  var inverseName: String?
  var minCount = 0
  var maxCount = 0
  var isTransient = false
  var crossesStores = false
  var originalName: String?
  var versionHashModifier: String?
  var userInfo: [String: any Sendable] = [:]
}
