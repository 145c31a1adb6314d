// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The storage of an entity class's values: a value for each attribute, by the index of the property.
///
/// `@Entity` generates a struct around it, whose properties access it.
///
/// ```swift
/// var list = AttributeValueList(Person.self)
/// ```
public struct AttributeValueList: Sendable {
  let plan: ValuePlan
  /// The values by the indices of the class's properties; null for relationships.
  var values: [Value]

  /// Creates the initial values of a class.
  ///
  /// - Parameter objectClass: A class with `@Entity`.
  public init(_ objectClass: ManagedObject.Type) {
    plan = .plan(of: objectClass)
    values = plan.makeInitialValues()
  }

  /// Creates the initial values of a class, except for the attributes that its superclass declares.
  ///
  /// - Parameters:
  ///   - objectClass: A class with `@Entity`.
  ///   - base: The values of its superclass.
  public init<Base: EntityValues>(_ objectClass: ManagedObject.Type, _ base: Base) {
    self.init(objectClass)
    let count = min(ValuePlan.plan(of: Base._Object.self).propertyCount, values.count)
    values.replaceSubrange(..<count, with: base._list.values.prefix(count))
  }
}

extension AttributeValueList: Hashable {
  /// Whether all values are equal.
  public static func == (left: AttributeValueList, right: AttributeValueList) -> Bool {
    left.values == right.values
  }

  /// Hashes the values.
  public func hash(into hasher: inout Hasher) {
    hasher.combine(values)
  }
}

extension AttributeValueList {
  /// Returns the value of an attribute whose type has raw values; nil without a value, or for an unknown raw value.
  func raw<T: RawRepresentable>(_ property: Int) -> T? where T.RawValue: AttributeValue {
    T.RawValue(values[property]).flatMap { T(rawValue: $0) }
  }

  /// Returns the value of a non-optional property without a value: its initial value, or else the empty value of its
  /// type.
  func missingRaw<T: RawRepresentable>(_ property: Int) -> T where T.RawValue: AttributeValue {
    let declared = plan.attribute(numbered: property)
    if let value = declared?.declaration.makeDefault?(), let raw = T.RawValue(value),
      let result = T(rawValue: raw)
    {
      return result
    }
    return required(MissingValue.ofRaw(T.self), declared)
  }

  /// Returns the object that a codec encodes; nil when there is none, or when its bytes cannot be decoded.
  func decoded<T: Codable & Sendable>(_ property: Int, _ type: T.Type) -> T? {
    guard case .transformable(let value) = values[property] else { return nil }
    let codec = plan.attribute(numbered: property)?.codec ?? .of(T.self)
    return (try? value.object(decodedBy: codec)).flatMap { ($0 as? T) ?? Self.ofRaw($0, type) }
  }

  /// Converts an object that was decoded as the raw value of its type.
  private static func ofRaw<T>(_ raw: any Sendable, _ type: T.Type) -> T? {
    guard let type = PathValues.wrapped(T.self) as? any RawRepresentable.Type else { return nil }
    return type.value(ofRaw: raw) as? T
  }

  /// Like ``missingRaw(_:)``, for types that a codec encodes.
  func missing<T: Codable & Sendable>(_ property: Int) -> T {
    if let nothing = (T.self as? any OptionalValue.Type)?.nothing as? T { return nothing }
    let declared = plan.attribute(numbered: property)
    if let value = declared?.declaration.makeObject?() as? T { return value }
    return required(MissingValue.of(T.self), declared)
  }

  private func required<T>(_ value: T?, _ declared: ValuePlan.Attribute?) -> T {
    guard let value else {
      preconditionFailure(
        "The property \(declared?.name ?? "") has no value that is a \(T.self); give it an initial "
          + "value, or make its type optional.")
    }
    return value
  }

  /// Sets an object that a codec encodes.
  mutating func keep<T: Codable & Sendable>(_ value: T?, _ property: Int) {
    guard let value else { return values[property] = .null }
    let codec = plan.attribute(numbered: property)?.codec ?? .of(T.self)
    values[property] = .transformable(TransformableValue(value, codec: codec))
  }
}

extension RawRepresentable {
  fileprivate static func value(ofRaw raw: Any) -> Self? {
    (raw as? RawValue).flatMap { Self(rawValue: $0) }
  }
}
