// SPDX-License-Identifier: Apache-2.0

public import RoostModel

// A relationship names its inverse by a key path, and the inverse names the relationship. Swift 6.3 checks the
// arguments of every attached macro of a property before it knows whether the property can be set, and it has to know
// that of `people` to check `\Department.people`. So two key paths of the forms `\Department.people` and
// `\Person.department` that name each other end in "circular reference resolving attached macro", whatever the
// macro's role and its parameter's type are (tried: peer and accessor; `AnyKeyPath`, `KeyPath`, a function, a generic
// type, `Any`, an autoclosure, a property wrapper instead).
//
// The solution is a key path whose root is not the destination. `\.people` takes its root from the parameter,
// `InverseName`, in which every name exists and nothing is looked up in `Department`; the expansion reads the
// property of a `Department` at a place where the compiler can check it, in the body of a static property. The longer
// form stays possible on one of the two sides, or on the only side that names the inverse.

/// Declares a property of an entity class as a relationship, with its inverse and its delete rule.
///
/// ```swift
/// @Entity final class Person: ManagedObject {
///   @Relationship(inverse: \.people) var department: Department?
/// }
/// @Entity final class Department: ManagedObject {
///   @Relationship(deleteRule: .cascade, inverse: \.department) var people: Set<Person>
/// }
/// ```
///
/// One side has to name the other. If both sides do, write `\.people` without the type.
///
/// - Parameters:
///   - options: Options of the relationship, such as `.crossesStores`.
///   - deleteRule: The effect of deleting the object on the destinations.
///   - inverse: The inverse property of the destination. The compiler checks that it exists.
///   - minCount: The smallest number of destinations of a to-many relationship.
///   - maxCount: The largest number of destinations of a to-many relationship; 0 for any number.
///   - ordered: Whether the destinations of a `Set` have an order, which keyed access shows; an array always has.
///   - transient: Whether the relationship is never stored.
///   - originalName: The name in the previous version, for migration.
///   - versionHashModifier: A text that changes the version hash.
///   - userInfo: The program's own data about the relationship.
@attached(peer)
public macro Relationship(
  _ options: RelationshipOption..., deleteRule: DeleteRule = .nullify,
  inverse: KeyPath<InverseName, InverseName>, minCount: Int = 0, maxCount: Int = 0,
  ordered: Bool = false,
  transient: Bool = false, originalName: String? = nil, versionHashModifier: String? = nil,
  userInfo: [String: any Sendable] = [:]
) = #externalMacro(module: "RoostMacros", type: "RelationshipMacro")

/// Declares a property of an entity class as a relationship, and names its inverse with the type.
///
/// ```swift
/// @Relationship(inverse: \Department.people) var department: Department?
/// ```
///
/// Only one side of a relationship can name the other in this form: see the form with `\.people`.
@attached(peer)
public macro Relationship<Destination: ManagedObject, Property>(
  _ options: RelationshipOption..., deleteRule: DeleteRule = .nullify,
  inverse: KeyPath<Destination, Property>, minCount: Int = 0, maxCount: Int = 0,
  ordered: Bool = false,
  transient: Bool = false, originalName: String? = nil, versionHashModifier: String? = nil,
  userInfo: [String: any Sendable] = [:]
) = #externalMacro(module: "RoostMacros", type: "RelationshipMacro")

/// Declares a property of an entity class as a relationship without an inverse, or with one that names it.
///
/// ```swift
/// @Relationship(deleteRule: .deny) var owner: Person?
/// ```
@attached(peer)
public macro Relationship(
  _ options: RelationshipOption..., deleteRule: DeleteRule = .nullify, minCount: Int = 0,
  maxCount: Int = 0, ordered: Bool = false, transient: Bool = false, originalName: String? = nil,
  versionHashModifier: String? = nil,
  userInfo: [String: any Sendable] = [:]
) = #externalMacro(module: "RoostMacros", type: "RelationshipMacro")

/// The root of key paths that only name a property, such as `\.people` as an inverse.
///
/// ```swift
/// @Relationship(inverse: \.people) var department: Department?
/// ```
@dynamicMemberLookup
public struct InverseName {
  /// Every name is a property here.
  public subscript(dynamicMember name: String) -> InverseName { self }
}
