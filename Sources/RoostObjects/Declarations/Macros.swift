// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// Makes a class an entity: its stored properties become attributes and relationships, with their values in the
/// object's row.
///
/// A property needs an explicit type, which alone decides whether it is an attribute or a relationship:
///
/// - an attribute: `String`, `Int16`, `Int32`, `Int64`, `Int`, `Double`, `Float`, `Bool`, `Date`, `Data`, `UUID`,
///   `URL`, `Decimal` and every other ``AttributeValue``; types with such a raw value, stored as the raw value; other
///   types that are `Codable & Sendable`, stored as bytes encoded by a codec;
/// - a to-one relationship: `Person?` and `Person`;
/// - a to-many relationship: `Set<Person>`, and `[Person]` for an ordered one.
///
/// An optional type makes the property optional, another type makes it required at the next save. Until it has a
/// value it reads as zero, as empty, or as the first case of an enum; a type without any of these needs an initial
/// value, which the validation of the model checks. A required to-one relationship without a destination reads as an
/// object that is never saved, and the next save throws `validationMissingMandatoryProperty`. An initial value
/// becomes the default; unless it is a literal, it is evaluated for each object. Computed properties, `let` and
/// `static` are not affected; mark other stored properties with ``Unmodeled()``.
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
/// `removeFromPeople(_:)`, for one object or many, which read no destination; an ordered one also gets
/// `insertIntoPeople(_:at:)`, `removeFromPeople(at:)` and `replacePeople(at:with:)`. Methods that the body of the
/// class declares itself are not generated.
///
/// A method `validate<Key>` with one `inout` parameter is called when the property is validated, after the model's
/// rules; it may replace the value, and throws to reject it:
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
///   - originalName: The entity's name in the previous version, for migration.
///   - versionHashModifier: A text that changes the version hash.
///   - uniqueness: The names of properties that must be unique together, for each constraint; ``Unique(_:)`` takes key
///     paths.
///   - indexes: The names of properties that are indexed together, for each index; ``Index(_:)`` takes key paths.
///   - configurations: The configurations of the model that have the entity.
///   - userInfo: The program's own data about the entity.
///   - values: Whether the class gets `Values`, the attributes of its objects as a value (``EntityValues``), and the
///     initializers that take values. A subclass of a class without values has none either, and has to be declared
///     so.
@attached(
  member, names: named(_entityDeclaration), named(_runValidationHook), prefixed(_entity_), arbitrary
)
@attached(memberAttribute)
public macro Entity(
  name: String? = nil, abstract: Bool = false, originalName: String? = nil,
  versionHashModifier: String? = nil, uniqueness: [[String]] = [], indexes: [[String]] = [],
  configurations: [String] = [], userInfo: [String: any Sendable] = [:], values: Bool = true
) = #externalMacro(module: "RoostMacros", type: "EntityMacro")

/// Declares further settings of an attribute of an entity class.
///
/// ```swift
/// @Attribute(.unique, originalName: "mail", matching: ".+@.+") var email: String
/// @Attribute(.indexed, minimum: 0, maximum: 150) var age: Int32 = 0
/// ```
///
/// - Parameters:
///   - options: See ``AttributeOption``.
///   - originalName: The name in the previous version, for migration.
///   - versionHashModifier: A text that changes the version hash.
///   - minimum: The smallest number or earliest date that may be saved; for a string, its minimum length.
///   - maximum: The largest number or latest date that may be saved; for a string, its maximum length.
///   - matching: A pattern that a whole string must match to be saved.
///   - transformer: The name of a registered codec, for a transformable attribute.
///   - derivation: The expression from which the store computes the attribute, such as `count:(items)`.
///   - userInfo: The program's own data about the attribute.
@attached(peer)
public macro Attribute(
  _ options: AttributeOption..., originalName: String? = nil, versionHashModifier: String? = nil,
  minimum: (any AttributeValue)? = nil, maximum: (any AttributeValue)? = nil,
  matching: String? = nil, transformer: String? = nil, derivation: String? = nil,
  userInfo: [String: any Sendable] = [:]
) = #externalMacro(module: "RoostMacros", type: "AttributeMacro")

/// Says which attributes of an entity class must be unique together, for each list.
///
/// ```swift
/// @Entity final class Account: ManagedObject {
///   #Unique<Account>([\.country, \.number], [\.email])
///   var country: String = ""
///   var number: Int64 = 0
///   var email: String = ""
/// }
/// ```
/// It stands in the body of the class, outside of `#if`. The compiler checks the names; `@Attribute(.unique)` says the
/// same of one attribute, and `uniqueness:` of `@Entity` takes names. A save that breaks it throws
/// `managedObjectConstraintMerge`, unless the merge policy resolves the conflict.
///
/// - Parameter constraints: The key paths of attributes, or of elements of composites, for each constraint.
@freestanding(declaration)
public macro Unique<Object: ManagedObject>(_ constraints: [PartialKeyPath<Object>]...) =
  #externalMacro(module: "RoostMacros", type: "UniqueMacro")

/// Says which attributes of an entity class are indexed together, for each list.
///
/// ```swift
/// @Entity final class Person: ManagedObject {
///   #Index<Person>([\.city, \.name])
///   var city: String = ""
///   var name: String = ""
/// }
/// ```
/// It stands in the body of the class, outside of `#if`. The compiler checks the names; `@Attribute(.indexed)` says the
/// same of one attribute, and `indexes:` of `@Entity` takes names.
///
/// - Parameter indexes: The key paths of the indexed properties, the most significant one first, for each index.
@freestanding(declaration)
public macro Index<Object: ManagedObject>(_ indexes: [PartialKeyPath<Object>]...) =
  #externalMacro(module: "RoostMacros", type: "IndexMacro")

/// Excludes a stored property of an entity class from the model: an ordinary property of the object in memory.
///
/// ```swift
/// @Unmodeled var isSelected: Bool = false
/// ```
@attached(peer)
public macro Unmodeled() = #externalMacro(module: "RoostMacros", type: "UnmodeledMacro")

/// Applied by `@Entity`: replaces the storage of a property by accessors of the object's row.
///
/// - Parameter number: The expression for the index of the property among all of the class.
@attached(accessor, names: named(get), named(set))
public macro _ManagedProperty(_ number: StaticString) =
  #externalMacro(module: "RoostMacros", type: "ManagedPropertyMacro")
