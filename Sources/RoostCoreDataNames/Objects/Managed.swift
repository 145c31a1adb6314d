// SPDX-License-Identifier: Apache-2.0

/// Replaces `@NSManaged`: the property accesses the entity's property with its name, whatever the model was made
/// from.
///
/// ```swift
/// public class Person: NSManagedObject {}
///
/// extension Person {
///   @nonobjc public class func fetchRequest() -> NSFetchRequest<Person> {
///     NSFetchRequest<Person>(entityName: "Person")
///   }
///   @Managed public var name: String?
///   @Managed public var age: Int16
///   @Managed public var pets: NSSet?
///   @ManagedMethod public func addToPets(_ value: Pet)
/// }
/// ```
/// Property types are those of Core Data's generated code: Swift's types or Foundation's classes, `NSSet`, `Set`,
/// `NSOrderedSet`, and enums with a raw value. A scalar without a value reads as zero. A property `primitiveName`
/// reads and sets `name` without change tracking. For methods, use ``ManagedMethod()``.
///
/// A property is looked up by its name on each access; the accessors that `@Entity` makes read a slot directly.
@attached(accessor, names: named(get), named(set))
public macro Managed() = #externalMacro(module: "RoostMacros", type: "ManagedMacro")

/// Replaces `@NSManaged` on a method: `addTo`, `removeFrom`, `insertInto` or `replace`, with the name of a to-many
/// relationship.
///
/// ```swift
/// @ManagedMethod public func addToPets(_ value: Pet)
/// @ManagedMethod public func addToPets(_ values: NSSet)
/// @ManagedMethod public func insertIntoSteps(_ value: Step, at idx: Int)
/// ```
@attached(body)
public macro ManagedMethod() = #externalMacro(module: "RoostMacros", type: "ManagedMacro")
