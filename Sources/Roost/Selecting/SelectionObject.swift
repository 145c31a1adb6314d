// SPDX-License-Identifier: Apache-2.0

public import RoostModel
public import RoostQuery

/// The object whose attributes a selection names: its members are columns. An attribute with the name of a member of
/// this type is accessed with a subscript: `$0[\.count]`.
///
/// ```swift
/// context.select(Issue.self) { ($0.state, $0.project.name, $0.count) }
/// ```
@dynamicMemberLookup
public struct SelectionObject<Root: KeyPathNaming> {
  init() {}

  /// The number of objects.
  public var count: SelectionAggregate<Int> { .whole(.count, .evaluatedObject) }

  /// An attribute.
  public subscript<Value: AttributeValue>(
    dynamicMember keyPath: KeyPath<Root, Value>
  ) -> SelectionField<Value, Value> {
    SelectionField(expression(of: keyPath), read: Value.read, present: Value.read)
  }

  /// An optional attribute.
  public subscript<Value: AttributeValue>(
    dynamicMember keyPath: KeyPath<Root, Value?>
  ) -> SelectionField<Value?, Value> {
    SelectionField(
      expression(of: keyPath), read: { $0.isNull ? nil : try Value.read($0) }, present: Value.read)
  }

  /// An attribute of a type with a raw value.
  @_disfavoredOverload
  public subscript<Value: RawRepresentable>(
    dynamicMember keyPath: KeyPath<Root, Value>
  ) -> SelectionField<Value, Value> where Value.RawValue: AttributeValue {
    SelectionField(expression(of: keyPath), read: Value.readCase, present: Value.readCase)
  }

  /// An optional attribute of a type with a raw value.
  @_disfavoredOverload
  public subscript<Value: RawRepresentable>(
    dynamicMember keyPath: KeyPath<Root, Value?>
  ) -> SelectionField<Value?, Value> where Value.RawValue: AttributeValue {
    SelectionField(
      expression(of: keyPath), read: { $0.isNull ? nil : try Value.readCase($0) },
      present: Value.readCase)
  }

  /// A composite attribute.
  public subscript<Composite: CompositeNaming>(
    dynamicMember keyPath: KeyPath<Root, Composite>
  ) -> SelectionComposite<Composite> {
    SelectionComposite(QueryObject<Root>.composite(at: keyPath, of: Composite.self))
  }

  /// An optional composite attribute.
  public subscript<Composite: CompositeNaming>(
    dynamicMember keyPath: KeyPath<Root, Composite?>
  ) -> OptionalSelectionComposite<Composite> {
    OptionalSelectionComposite(QueryObject<Root>.composite(at: keyPath, of: Composite.self))
  }

  /// The destination of a to-one relationship, whose attributes are nil if there is no destination.
  public subscript<Destination: KeyPathNaming>(
    dynamicMember keyPath: KeyPath<Root, Destination?>
  ) -> SelectionDestination<Destination> {
    SelectionDestination(expression(of: keyPath))
  }

  /// An attribute with the name of a member of this type.
  public subscript<Value: AttributeValue>(
    _ keyPath: KeyPath<Root, Value>
  ) -> SelectionField<Value, Value> {
    self[dynamicMember: keyPath]
  }

  /// An optional attribute with the name of a member of this type.
  public subscript<Value: AttributeValue>(
    _ keyPath: KeyPath<Root, Value?>
  ) -> SelectionField<Value?, Value> {
    self[dynamicMember: keyPath]
  }

  private func expression(of keyPath: AnyKeyPath) -> FetchExpression {
    QueryObject<Root>.expression(of: keyPath)
  }
}

/// An object that a selection reaches through to-one relationships.
///
/// ```swift
/// context.select(Issue.self) { ($0.title, $0.project.name, $0.project.owner.name) }
/// ```
@dynamicMemberLookup
public struct SelectionDestination<Root: KeyPathNaming> {
  private let base: FetchExpression

  init(_ base: FetchExpression) {
    self.base = base
  }

  /// An attribute.
  public subscript<Value: AttributeValue>(
    dynamicMember keyPath: KeyPath<Root, Value>
  ) -> SelectionField<Value?, Value> {
    SelectionField(
      expression(of: keyPath), read: { $0.isNull ? nil : try Value.read($0) }, present: Value.read)
  }

  /// An optional attribute.
  public subscript<Value: AttributeValue>(
    dynamicMember keyPath: KeyPath<Root, Value?>
  ) -> SelectionField<Value?, Value> {
    SelectionField(
      expression(of: keyPath), read: { $0.isNull ? nil : try Value.read($0) }, present: Value.read)
  }

  /// An attribute of a type with a raw value.
  @_disfavoredOverload
  public subscript<Value: RawRepresentable>(
    dynamicMember keyPath: KeyPath<Root, Value>
  ) -> SelectionField<Value?, Value> where Value.RawValue: AttributeValue {
    SelectionField(
      expression(of: keyPath), read: { $0.isNull ? nil : try Value.readCase($0) },
      present: Value.readCase)
  }

  /// A composite attribute, whose elements are nil if there is no destination.
  public subscript<Composite: CompositeNaming>(
    dynamicMember keyPath: KeyPath<Root, Composite>
  ) -> OptionalSelectionComposite<Composite> {
    OptionalSelectionComposite(
      QueryObject<Root>.composite(at: keyPath, of: Composite.self, from: base))
  }

  /// An optional composite attribute.
  public subscript<Composite: CompositeNaming>(
    dynamicMember keyPath: KeyPath<Root, Composite?>
  ) -> OptionalSelectionComposite<Composite> {
    OptionalSelectionComposite(
      QueryObject<Root>.composite(at: keyPath, of: Composite.self, from: base))
  }

  /// The destination of a to-one relationship.
  public subscript<Destination: KeyPathNaming>(
    dynamicMember keyPath: KeyPath<Root, Destination?>
  ) -> SelectionDestination<Destination> {
    SelectionDestination<Destination>(expression(of: keyPath))
  }

  private func expression(of keyPath: AnyKeyPath) -> FetchExpression {
    QueryObject<Root>.expression(of: keyPath, from: base)
  }
}

extension AttributeValue {
  static func read(_ value: Value) throws -> Self {
    guard !value.isNull, let result = Self(value) else { throw Value.misread(value, as: Self.self) }
    return result
  }
}

extension RawRepresentable where RawValue: AttributeValue {
  static func readCase(_ value: Value) throws -> Self {
    guard !value.isNull, let rawValue = RawValue(value), let result = Self(rawValue: rawValue)
    else { throw Value.misread(value, as: Self.self) }
    return result
  }
}
