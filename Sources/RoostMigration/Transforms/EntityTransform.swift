// SPDX-License-Identifier: Apache-2.0

import RoostModel
public import RoostObjects

/// Code of the program that transforms the objects of one entity during a migration.
///
/// The code runs after the inferred part: the new object already has the copied values. The code reads the old record
/// by name, and writes the new object by the properties of its class.
///
/// ```swift
/// EntityTransform("Person", to: Person.self, replacing: ["name"]) { old, new, _ in
///   let parts = (try old["name"] ?? "").split(separator: " ", maxSplits: 1).map(String.init)
///   new.firstName = parts.first
///   new.lastName = parts.count > 1 ? parts[1] : nil
/// }
/// ```
public struct EntityTransform: Sendable {
  /// The function called for each record, with the old record, the new object, and further actions.
  public typealias Body<Object: ManagedObject> =
    @Sendable (
      _ old: MigrationRecord, _ new: Object, _ step: TransformStep
    ) throws -> Void

  /// The entity of the new objects, by class or by name.
  enum Destination: Sendable {
    case objectClass(ManagedObject.Type)
    case name(String)
  }

  /// The source entity in the old version.
  public let sourceEntityName: String
  let destination: Destination
  let replaced: Set<String>
  let set: Set<String>
  let body: Body<ManagedObject>
  let connecting: Body<ManagedObject>?

  /// Makes a transform whose new objects are of a class.
  ///
  /// - Parameters:
  ///   - sourceEntityName: The source entity in the old version, without its subentities.
  ///   - objectClass: The class of the new objects. Where the old entity does not become its entity by inference, the
  ///     new objects begin with their defaults.
  ///   - replacedNames: Properties of the old entity whose values the code preserves, so that they do not count as
  ///     lost when the property is removed.
  ///   - setNames: Properties of the new entity that the code sets: nothing is copied into them, and they may change
  ///     in ways that cannot be inferred, such as another type, to-many to to-one, or a value that is required and
  ///     new.
  ///   - body: Called for each record, after the attributes of the new object were copied. It may set relationships
  ///     to objects that it inserts; others are set by `connecting`.
  ///   - connecting: Called for each new object after all objects of all entities were made, and the relationships of
  ///     this one were copied; nil for none.
  public init<Object: ManagedObject>(
    _ sourceEntityName: String, to objectClass: Object.Type,
    replacing replacedNames: Set<String> = [], setting setNames: Set<String> = [],
    _ body: @escaping Body<Object>, connecting: Body<Object>? = nil
  ) {
    self.sourceEntityName = sourceEntityName
    destination = .objectClass(objectClass)
    replaced = replacedNames
    set = setNames
    self.body = Self.untyped(body)
    self.connecting = connecting.map(Self.untyped)
  }

  /// Makes a transform whose new objects are written by name, for models without classes.
  ///
  /// - Parameters:
  ///   - sourceEntityName: The source entity in the old version, without its subentities.
  ///   - destinationEntityName: The entity of the new objects.
  ///   - replacedNames: Properties of the old entity whose values the code preserves.
  ///   - setNames: Properties of the new entity that the code sets.
  ///   - body: Called for each record, after the attributes of the new object were copied.
  ///   - connecting: Called for each new object after all objects were made; nil for none.
  public init(
    _ sourceEntityName: String, toEntity destinationEntityName: String,
    replacing replacedNames: Set<String> = [], setting setNames: Set<String> = [],
    _ body: @escaping Body<ManagedObject>, connecting: Body<ManagedObject>? = nil
  ) {
    self.sourceEntityName = sourceEntityName
    destination = .name(destinationEntityName)
    replaced = replacedNames
    set = setNames
    self.body = body
    self.connecting = connecting
  }

  private static func untyped<Object: ManagedObject>(
    _ body: @escaping Body<Object>
  ) -> Body<ManagedObject> {
    { old, new, step in
      guard let object = new as? Object else {
        throw PersistenceError(
          .invalidValue,
          "The new objects of \(new.entity.name ?? "") are of the class \(type(of: new)), not of "
            + "\(Object.self), which the transform of \(old.entityName) names.",
          entityName: new.entity.name)
      }
      try body(old, object, step)
    }
  }
}
