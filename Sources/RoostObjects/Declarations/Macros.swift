// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// Makes a class an entity: its stored properties become attributes and relationships, and their values live in the
/// object's row.
///
/// A property needs its type written out, and is an attribute or a relationship by this type alone:
///
/// - an attribute: `String`, `Int16`, `Int32`, `Int64`, `Int`, `Double`, `Float`, `Bool`, `Date`, `Data`, `UUID`,
///   `URL`, `Decimal` and every other ``AttributeValue``; types with such a raw value, stored as the raw value; other
///   types that are `Codable & Sendable`, stored as the bytes that a codec makes of them;
/// - a to-one relationship: `Person?` and `Person`;
/// - a to-many relationship: `Set<Person>`, and `[Person]` for an ordered one.
///
/// An optional type makes the property optional, another type makes it required at the next save. Until it has a
/// value it reads as zero, as empty, or as the first case of an enum; a type that has none of this needs an initial
/// value, and so says the check of the model. A required to-one relationship that leads nowhere reads as an object that
/// is never saved, and the next save throws `validationMissingMandatoryProperty`. An initial
/// value becomes the default; unless it is a literal, it is evaluated anew for each object. Computed properties,
/// `let` and `static` are left alone; mark other stored properties with ``Unmodeled()``.
///
/// ```swift
/// @Entity final class Person: ManagedObject {
///   @Attribute(.unique) var email: String
///   var name: String = ""
///   @Relationship(inverse: \.people) var department: Department?
/// }
/// let model = try ManagedObjectModel(Person.self, Department.self)
/// ```
///
/// The superclass is `ManagedObject`, or the class of the superentity.
///
/// A to-many relationship `people` that is marked with `@Relationship` gets the methods `addToPeople(_:)` and
/// `removeFromPeople(_:)`, for one object or many, which read no destination; an ordered one also
/// `insertIntoPeople(_:at:)`, `removeFromPeople(at:)` and `replacePeople(at:with:)`. What the body of the class
/// declares itself is left as it is.
///
/// A method `validate<Key>` with one `inout` parameter is called when the property is validated, after the model's
/// rules; it may replace the value, and throws to refuse it:
///
/// ```swift
/// func validateName(_ name: inout String) throws {
///   name = name.trimmingCharacters(in: .whitespaces)
///   if name.isEmpty { throw PersistenceError(.managedObjectValidation, "A person needs a name.") }
/// }
/// ```
///
/// - Parameters:
///   - name: The entity's name; the name of the class unless set.
///   - abstract: Whether the entity has no instances of its own.
///   - originalName: The entity's name in the version before, for migration.
///   - versionHashModifier: A text that changes the version hash.
///   - uniqueness: The names of properties that must be unique together, for each constraint.
///   - indexes: The names of properties that are indexed together, for each index.
///   - configurations: The configurations of the model that have the entity.
///   - userInfo: What the program wants to know of the entity.
///   - values: Whether the class gets `Values`, the attributes of its objects as a value (``EntityValues``), and the
///     initializers that take values. A subclass of a class without them has none either, and says so.
@attached(
  member, names: named(_entityDeclaration), named(_runValidationHook), prefixed(_entity_), arbitrary
)
@attached(memberAttribute)
public macro Entity(
  name: String? = nil, abstract: Bool = false, originalName: String? = nil,
  versionHashModifier: String? = nil, uniqueness: [[String]] = [], indexes: [[String]] = [],
  configurations: [String] = [], userInfo: [String: any Sendable] = [:], values: Bool = true
) = #externalMacro(module: "RoostMacros", type: "EntityMacro")

/// Says more about an attribute of an entity class.
///
/// ```swift
/// @Attribute(.unique, originalName: "mail", matching: ".+@.+") var email: String
/// @Attribute(.indexed, minimum: 0, maximum: 150) var age: Int32 = 0
/// ```
///
/// - Parameters:
///   - options: See ``AttributeOption``.
///   - originalName: The name in the version before, for migration.
///   - versionHashModifier: A text that changes the version hash.
///   - minimum: The smallest number or earliest date that may be saved; for a string, its least length.
///   - maximum: The largest number or latest date that may be saved; for a string, its greatest length.
///   - matching: A pattern that a whole string must match to be saved.
///   - transformer: The name of a registered codec, for a transformable attribute.
///   - derivation: The expression that the store computes the attribute from, as `count:(items)`.
///   - userInfo: What the program wants to know of the attribute.
@attached(peer)
public macro Attribute(
  _ options: AttributeOption..., originalName: String? = nil, versionHashModifier: String? = nil,
  minimum: (any AttributeValue)? = nil, maximum: (any AttributeValue)? = nil,
  matching: String? = nil, transformer: String? = nil, derivation: String? = nil,
  userInfo: [String: any Sendable] = [:]
) = #externalMacro(module: "RoostMacros", type: "AttributeMacro")

/// Leaves a stored property of an entity class out of the model: an ordinary property of the object in memory.
///
/// ```swift
/// @Unmodeled var isSelected: Bool = false
/// ```
@attached(peer)
public macro Unmodeled() = #externalMacro(module: "RoostMacros", type: "UnmodeledMacro")

/// Written by `@Entity`: replaces the storage of a property by accessors of the object's row.
///
/// - Parameter number: The expression for the number of the property among all of the class.
@attached(accessor, names: named(get), named(set))
public macro _ManagedProperty(_ number: StaticString) =
  #externalMacro(module: "RoostMacros", type: "ManagedPropertyMacro")
