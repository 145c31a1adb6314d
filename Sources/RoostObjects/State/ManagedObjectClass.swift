// SPDX-License-Identifier: Apache-2.0

/// Class methods common to all classes of managed objects: the entity's name, and requests for its objects.
///
/// ```swift
/// precondition(Person.entityName == "Person")
/// let people = try context.fetch(Person.fetchRequest())
/// ```
public protocol ManagedObjectClass: ManagedObject {}

extension ManagedObject: ManagedObjectClass {}

extension ManagedObjectClass {
  /// The name of the class's entity: the one given to `@Entity`, or else the name of the class.
  package static var ownEntityName: String {
    _entityDeclaration?.name ?? String(describing: self)
  }
}

extension ManagedObject {
  /// Whether an object is of this class or of a subclass.
  static func isClass(ofObject object: ManagedObject) -> Bool { object is Self }

  /// Whether a class is this one or a subclass of it.
  static func isSame(orAbove other: ManagedObject.Type) -> Bool { other is Self.Type }
}
