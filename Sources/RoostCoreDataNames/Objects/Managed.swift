// SPDX-License-Identifier: Apache-2.0

/// Stands where `@NSManaged` stood: the property is that of the entity with its name, whatever the model was made of.
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
/// Types are those of Core Data's generated code: Swift's types or Foundation's classes, `NSSet`, `Set`,
/// `NSOrderedSet`, and enums with a raw value. A scalar reads as zero where there is no value. A property
/// `primitiveName` reads and sets `name` below the change tracking. Methods have ``ManagedMethod()``.
///
/// A property is looked up by its name each time; the accessors that `@Entity` makes read a slot.
@attached(accessor, names: named(get), named(set))
public macro Managed() = #externalMacro(module: "RoostMacros", type: "ManagedMacro")

/// Stands where `@NSManaged` stood before a method: `addTo`, `removeFrom`, `insertInto` or `replace` with the name of a
/// relationship to many.
///
/// ```swift
/// @ManagedMethod public func addToPets(_ value: Pet)
/// @ManagedMethod public func addToPets(_ values: NSSet)
/// @ManagedMethod public func insertIntoSteps(_ value: Step, at idx: Int)
/// ```
@attached(body)
public macro ManagedMethod() = #externalMacro(module: "RoostMacros", type: "ManagedMacro")
