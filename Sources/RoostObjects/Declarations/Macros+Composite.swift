// SPDX-License-Identifier: Apache-2.0

/// Makes a struct the type of composite attributes: its stored properties become elements, which stores keep in columns
/// of their own, and which conditions and orders can name.
///
/// ```swift
/// @Composite struct Address: Hashable {
///   var street: String = ""
///   @Attribute(.indexed) var city: String?
/// }
/// @Entity final class Customer: ManagedObject {
///   var address: Address = Address()
///   var billing: Address?
/// }
/// let request = Customer.where { $0.address.city == "London" }.sorted(by: \.address.street)
/// ```
///
/// An element has one of the types that an attribute has, or is another composite; it cannot be a relationship. It
/// needs an explicit type. `@Attribute` declares its rules; `.transient`, `transformer:` and `derivation:` are not for
/// elements. Computed properties and `static` are not affected; mark other stored properties, which need an initial
/// value, with ``Unmodeled()``.
///
/// An optional composite is nil when all its elements are nil. So a struct in which nothing has a value reads as nil
/// where the property is optional. Without an initial value of the property, the elements of a new object have the
/// initial values of the struct, and those of an optional composite are nil. An element that is nil and whose type is
/// not optional reads as its initial value, or as zero or empty.
@attached(
  extension, conformances: CompositeValue, names: named(_composite), named(init), named(_write)
)
public macro Composite() = #externalMacro(module: "RoostMacros", type: "CompositeMacro")
