// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// The attributes of an object of an entity class as a value: the type `Values` that `@Entity` generates in each
/// class.
///
/// Values belong to no context. They can be copied, compared, encoded and sent to other tasks; an object can be
/// created from them, and a batch request writes them without creating objects.
///
/// ```swift
/// let values = Person.Values(email: "ada@example.org", name: "Ada")
/// let json = try JSONEncoder().encode(values)
/// let ada = Person(values, context: context)
/// ```
///
/// They contain the persistent, non-derived attributes, those of superentities included, and no relationships.
/// Encoded, they are one level of attribute names and values; an attribute that a decoder does not find gets its
/// initial value, or nil if it is optional.
public protocol EntityValues: TransformableValues, Codable, Hashable {
  /// The class.
  associatedtype _Object: ManagedObject
  /// Creates values from their storage.
  init(_list: AttributeValueList)
}

/// Members of ``EntityValues`` for attributes that a codec encodes. They are in an extension of a separate protocol,
/// so that overload resolution prefers the raw value for an enum that is also `Codable`.
///
/// ```swift
/// var place: Place? { get { _get(3) } set { _set(3, newValue) } }
/// ```
public protocol TransformableValues: RefusedValues {
  /// The storage of the values.
  var _list: AttributeValueList { get set }
}

extension EntityValues {
  /// Reads the current values of an object, saved or not.
  ///
  /// ```swift
  /// let values = Company.Values(company)
  /// ```
  /// - Parameter object: The object; for one of a subclass, the attributes of this class are read. If its record
  ///   cannot be read, the values are those that its properties read as, and the next save throws the error.
  /// - Complexity: As reading one property.
  public init(_ object: _Object) {
    self.init(_list: AttributeValueList(of: object, as: _Object.self))
  }
}

// MARK: - Accessors for the properties of the values

extension EntityValues {
  /// Reads an attribute.
  public func _get<T: AttributeValue>(_ property: Int) -> T {
    T(_list.values[property]) ?? RecorderMemory.read()
  }

  /// Writes an attribute.
  public mutating func _set<T: AttributeValue>(_ property: Int, _ value: T) {
    _list.values[property] = value.attributeValue
  }

  /// Reads an attribute by its raw value.
  @_disfavoredOverload
  public func _get<T: RawRepresentable>(_ property: Int) -> T where T.RawValue: AttributeValue {
    _list.raw(property) ?? _list.missingRaw(property)
  }

  /// Reads an optional attribute by its raw value; an unknown raw value reads as nil.
  @_disfavoredOverload
  public func _get<T: RawRepresentable>(_ property: Int) -> T? where T.RawValue: AttributeValue {
    _list.raw(property)
  }

  /// Writes an attribute by its raw value.
  @_disfavoredOverload
  public mutating func _set<T: RawRepresentable>(_ property: Int, _ value: T)
  where T.RawValue: AttributeValue {
    _list.values[property] = value.rawValue.attributeValue
  }

  /// Writes an optional attribute by its raw value.
  @_disfavoredOverload
  public mutating func _set<T: RawRepresentable>(_ property: Int, _ value: T?)
  where T.RawValue: AttributeValue {
    _list.values[property] = value?.rawValue.attributeValue ?? .null
  }
}

extension TransformableValues {
  /// Reads a transformable attribute, optional or not.
  @_disfavoredOverload
  public func _get<T: Codable & Sendable>(_ property: Int) -> T { _getTransformed(property) }

  /// Writes a transformable attribute.
  @_disfavoredOverload
  public mutating func _set<T: Codable & Sendable>(_ property: Int, _ value: T) {
    _list.keep(.some(value), property)
  }

  /// Writes an optional transformable attribute.
  @_disfavoredOverload
  public mutating func _set<T: Codable & Sendable>(_ property: Int, _ value: T?) {
    _list.keep(value, property)
  }

  /// Reads an attribute that a codec encodes although a row could hold its type.
  public func _getTransformed<T: Codable & Sendable>(_ property: Int) -> T {
    _list.decoded(property, T.self) ?? _list.missing(property)
  }

  /// Writes an attribute that a codec encodes although a row could hold its type.
  @_disfavoredOverload
  public mutating func _setTransformed<T: Codable & Sendable>(_ property: Int, _ value: T) {
    _list.keep(.some(value), property)
  }

  /// Writes an optional attribute that a codec encodes although a row could hold its type.
  public mutating func _setTransformed<T: Codable & Sendable>(_ property: Int, _ value: T?) {
    _list.keep(value, property)
  }
}

// MARK: - Unsupported types

/// Fallback members of ``EntityValues`` for unsupported types, with the lowest rank in overload resolution. The
/// declaration of the property is an error already, and one is enough.
///
/// ```swift
/// var handler: () -> Void { get { _get(3) } set { _set(3, newValue) } }
/// ```
public protocol RefusedValues: Sendable {}

extension RefusedValues {
  /// A placeholder for an attribute that the class cannot declare.
  @_disfavoredOverload
  public func _get<T>(_ property: Int) -> T {
    preconditionFailure("The declaration of the property is an error already.")
  }

  /// A placeholder for an attribute that the class cannot declare.
  @_disfavoredOverload
  public mutating func _set<T>(_ property: Int, _ value: T) {}
}

extension TransformableValues {
  /// A placeholder for a relationship marked as an attribute: values have no relationships.
  @_disfavoredOverload
  @available(*, deprecated, message: "mark a relationship with @Relationship")
  public func _get<T: ManagedObject>(_ property: Int) -> T {
    preconditionFailure("Values have no relationships: mark the property with @Relationship.")
  }

  /// A placeholder for a relationship marked as an attribute: values have no relationships.
  @_disfavoredOverload
  @available(*, deprecated, message: "mark a relationship with @Relationship")
  public func _get<T: ManagedObject>(_ property: Int) -> T? { nil }

  /// A placeholder for a relationship marked as an attribute: values have no relationships.
  @_disfavoredOverload
  @available(*, deprecated, message: "mark a relationship with @Relationship")
  public func _get<T: ManagedObject>(_ property: Int) -> Set<T> { [] }

  /// A placeholder for a relationship marked as an attribute: values have no relationships.
  @_disfavoredOverload
  @available(*, deprecated, message: "mark a relationship with @Relationship")
  public func _get<T: ManagedObject>(_ property: Int) -> [T] { [] }
}
