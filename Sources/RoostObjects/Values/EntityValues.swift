// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// The attributes of an object of an entity class as a value: what `@Entity` writes as `Values` into each class.
///
/// Values belong to no context. They can be copied, compared, encoded and handed to other tasks; an object is made of
/// them, and a batch request writes them without making objects.
///
/// ```swift
/// let values = Person.Values(email: "ada@example.org", name: "Ada")
/// let json = try JSONEncoder().encode(values)
/// let ada = Person(values, context: context)
/// ```
///
/// They have the attributes that stores keep and do not compute, those of superentities included, and no
/// relationships. Encoded, they are one level of the names of the attributes and their values; what a decoder does not
/// find has its initial value, or is nil where it is optional.
public protocol EntityValues: TransformableValues, Codable, Hashable {
  /// The class.
  associatedtype _Object: ManagedObject
  /// Makes values of what they are kept in.
  init(_list: AttributeValueList)
}

/// What ``EntityValues`` offers to attributes that a codec makes into bytes: members of a protocol's extension, so that
/// an enum with raw values that is also `Codable` is read and written by its raw value.
///
/// ```swift
/// var place: Place? { get { _get(3) } set { _set(3, newValue) } }
/// ```
public protocol TransformableValues: RefusedValues {
  /// What the values are kept in.
  var _list: AttributeValueList { get set }
}

extension EntityValues {
  /// Reads the values of an object: those that it has now, whether they are saved or not.
  ///
  /// ```swift
  /// let values = Company.Values(company)
  /// ```
  /// - Parameter object: The object; of a subclass, what it has of this class. Where its record cannot be read, the
  ///   values are what its properties read as, and the next save reports it.
  /// - Complexity: As to read one property.
  public init(_ object: _Object) {
    self.init(_list: AttributeValueList(of: object, as: _Object.self))
  }
}

// MARK: - What the properties of the values call

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

  /// Reads an optional attribute by its raw value; a raw value that stands for nothing reads as nil.
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

  /// Reads an attribute that a codec makes into bytes although a row could hold its type.
  public func _getTransformed<T: Codable & Sendable>(_ property: Int) -> T {
    _list.decoded(property, T.self) ?? _list.missing(property)
  }

  /// Writes an attribute that a codec makes into bytes although a row could hold its type.
  @_disfavoredOverload
  public mutating func _setTransformed<T: Codable & Sendable>(_ property: Int, _ value: T) {
    _list.keep(.some(value), property)
  }

  /// Writes an optional attribute that a codec makes into bytes although a row could hold its type.
  public mutating func _setTransformed<T: Codable & Sendable>(_ property: Int, _ value: T?) {
    _list.keep(value, property)
  }
}

// MARK: - What cannot be read

/// What ``EntityValues`` has for types that no attribute can have: members that are chosen last. The declaration of the
/// property is an error already, and one is enough.
///
/// ```swift
/// var handler: () -> Void { get { _get(3) } set { _set(3, newValue) } }
/// ```
public protocol RefusedValues: Sendable {}

extension RefusedValues {
  /// Stands for an attribute that the class cannot declare.
  @_disfavoredOverload
  public func _get<T>(_ property: Int) -> T {
    preconditionFailure("The declaration of the property is an error already.")
  }

  /// Stands for an attribute that the class cannot declare.
  @_disfavoredOverload
  public mutating func _set<T>(_ property: Int, _ value: T) {}
}

extension TransformableValues {
  /// Stands for a relationship that is marked as an attribute: values have none.
  @_disfavoredOverload
  @available(*, deprecated, message: "mark a relationship with @Relationship")
  public func _get<T: ManagedObject>(_ property: Int) -> T {
    preconditionFailure("Values have no relationships: mark the property with @Relationship.")
  }

  /// Stands for a relationship that is marked as an attribute: values have none.
  @_disfavoredOverload
  @available(*, deprecated, message: "mark a relationship with @Relationship")
  public func _get<T: ManagedObject>(_ property: Int) -> T? { nil }

  /// Stands for a relationship that is marked as an attribute: values have none.
  @_disfavoredOverload
  @available(*, deprecated, message: "mark a relationship with @Relationship")
  public func _get<T: ManagedObject>(_ property: Int) -> Set<T> { [] }

  /// Stands for a relationship that is marked as an attribute: values have none.
  @_disfavoredOverload
  @available(*, deprecated, message: "mark a relationship with @Relationship")
  public func _get<T: ManagedObject>(_ property: Int) -> [T] { [] }
}
