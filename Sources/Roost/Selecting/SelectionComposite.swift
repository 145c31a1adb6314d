// SPDX-License-Identifier: Apache-2.0

public import RoostModel
public import RoostQuery

/// A composite attribute in a selection: its elements are columns.
///
/// ```swift
/// context.select(Customer.self) { ($0.name, $0.address.city) }
/// ```
@dynamicMemberLookup
public struct SelectionComposite<Composite: CompositeNaming> {
  private let base: QueryComposite<Composite>

  init(_ base: QueryComposite<Composite>) {
    self.base = base
  }

  /// An element.
  public subscript<Value: AttributeValue>(
    dynamicMember keyPath: KeyPath<Composite, Value>
  ) -> SelectionField<Value, Value> {
    SelectionField(base.expression(of: keyPath), read: Value.read, present: Value.read)
  }

  /// An optional element.
  public subscript<Value: AttributeValue>(
    dynamicMember keyPath: KeyPath<Composite, Value?>
  ) -> SelectionField<Value?, Value> {
    .optional(base.expression(of: keyPath))
  }

  /// An element of a type with a raw value.
  @_disfavoredOverload
  public subscript<Value: RawRepresentable>(
    dynamicMember keyPath: KeyPath<Composite, Value>
  ) -> SelectionField<Value, Value> where Value.RawValue: AttributeValue {
    SelectionField(base.expression(of: keyPath), read: Value.readCase, present: Value.readCase)
  }

  /// An optional element of a type with a raw value.
  @_disfavoredOverload
  public subscript<Value: RawRepresentable>(
    dynamicMember keyPath: KeyPath<Composite, Value?>
  ) -> SelectionField<Value?, Value> where Value.RawValue: AttributeValue {
    .optionalCase(base.expression(of: keyPath))
  }

  /// A composite within the composite.
  public subscript<Inner: CompositeNaming>(
    dynamicMember keyPath: KeyPath<Composite, Inner>
  ) -> SelectionComposite<Inner> {
    SelectionComposite<Inner>(base[dynamicMember: keyPath])
  }

  /// An optional composite within the composite.
  public subscript<Inner: CompositeNaming>(
    dynamicMember keyPath: KeyPath<Composite, Inner?>
  ) -> OptionalSelectionComposite<Inner> {
    OptionalSelectionComposite<Inner>(base[dynamicMember: keyPath])
  }
}

/// A composite in a selection that may be nil: then its elements are.
///
/// ```swift
/// context.select(Customer.self) { ($0.name, $0.billing.city) }
/// ```
@dynamicMemberLookup
public struct OptionalSelectionComposite<Composite: CompositeNaming> {
  private let base: QueryComposite<Composite>

  init(_ base: QueryComposite<Composite>) {
    self.base = base
  }

  /// An element.
  public subscript<Value: AttributeValue>(
    dynamicMember keyPath: KeyPath<Composite, Value>
  ) -> SelectionField<Value?, Value> {
    .optional(base.expression(of: keyPath))
  }

  /// An optional element.
  public subscript<Value: AttributeValue>(
    dynamicMember keyPath: KeyPath<Composite, Value?>
  ) -> SelectionField<Value?, Value> {
    .optional(base.expression(of: keyPath))
  }

  /// An element of a type with a raw value.
  @_disfavoredOverload
  public subscript<Value: RawRepresentable>(
    dynamicMember keyPath: KeyPath<Composite, Value>
  ) -> SelectionField<Value?, Value> where Value.RawValue: AttributeValue {
    .optionalCase(base.expression(of: keyPath))
  }

  /// An optional element of a type with a raw value.
  @_disfavoredOverload
  public subscript<Value: RawRepresentable>(
    dynamicMember keyPath: KeyPath<Composite, Value?>
  ) -> SelectionField<Value?, Value> where Value.RawValue: AttributeValue {
    .optionalCase(base.expression(of: keyPath))
  }

  /// A composite within the composite.
  public subscript<Inner: CompositeNaming>(
    dynamicMember keyPath: KeyPath<Composite, Inner>
  ) -> OptionalSelectionComposite<Inner> {
    OptionalSelectionComposite<Inner>(base[dynamicMember: keyPath])
  }

  /// An optional composite within the composite.
  public subscript<Inner: CompositeNaming>(
    dynamicMember keyPath: KeyPath<Composite, Inner?>
  ) -> OptionalSelectionComposite<Inner> {
    OptionalSelectionComposite<Inner>(base[dynamicMember: keyPath])
  }
}

extension SelectionField where Value == Present?, Present: AttributeValue {
  fileprivate static func optional(_ expression: FetchExpression) -> SelectionField {
    SelectionField(
      expression, read: { $0.isNull ? nil : try Present.read($0) }, present: Present.read)
  }
}

extension SelectionField
where Value == Present?, Present: RawRepresentable, Present.RawValue: AttributeValue {
  fileprivate static func optionalCase(_ expression: FetchExpression) -> SelectionField {
    SelectionField(
      expression, read: { $0.isNull ? nil : try Present.readCase($0) }, present: Present.readCase)
  }
}
