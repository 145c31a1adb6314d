// SPDX-License-Identifier: Apache-2.0

public import RoostModel
public import RoostObjects
import RoostQuery

// Finding an object by a value, and inserting it if there is none.
extension ManagedObjectContext {
  /// Returns the object whose attribute has a value; nil when there is none, and the first one by object ID when there
  /// are several.
  ///
  /// ```swift
  /// let ada = try context.find(Person.self, \.email, "ada@example.org")
  /// ```
  /// Unsaved changes are included: objects that the context has inserted or changed are found, deleted ones are not.
  ///
  /// - Parameters:
  ///   - objectClass: The class, subclasses included.
  ///   - keyPath: An attribute, optionally of a destination of to-one relationships.
  ///   - value: The value.
  /// - Throws: As `fetch`; `invalidRequest` for the key path of a computed property.
  /// - Complexity: As `fetch` with a limit of 1: make the attribute unique or index it.
  public func find<T: ManagedObject, Value: AttributeValue>(
    _ objectClass: T.Type, _ keyPath: KeyPath<T, Value>, _ value: Value
  ) throws -> T? {
    try first(objectClass.where { $0[dynamicMember: keyPath] == value })
  }

  /// Returns the object whose attribute has a case of an enum; nil when there is none, and the first one by object ID
  /// when there are several.
  ///
  /// ```swift
  /// let waiting = try context.find(Ticket.self, \.state, .waiting)
  /// ```
  /// - Parameters:
  ///   - objectClass: The class, subclasses included.
  ///   - keyPath: An attribute of a type with a raw value.
  ///   - value: The value.
  /// - Throws: As `fetch`; `invalidRequest` for the key path of a computed property.
  /// - Complexity: As `fetch` with a limit of 1.
  @_disfavoredOverload
  public func find<T: ManagedObject, Value: RawRepresentable>(
    _ objectClass: T.Type, _ keyPath: KeyPath<T, Value>, _ value: Value
  ) throws -> T? where Value.RawValue: AttributeValue {
    try first(objectClass.where { $0[dynamicMember: keyPath] == value })
  }

  /// Returns the object that is related to another one; nil when there is none, and the first one by object ID when
  /// there are several.
  ///
  /// ```swift
  /// let badge = try context.find(Badge.self, \.owner, ada)
  /// ```
  /// - Parameters:
  ///   - objectClass: The class, subclasses included.
  ///   - keyPath: A to-one relationship.
  ///   - destination: The destination; nil for none.
  /// - Throws: As `fetch`; `invalidRequest` for the key path of a computed property.
  /// - Complexity: As `fetch` with a limit of 1.
  @_disfavoredOverload
  public func find<T: ManagedObject, Destination: ManagedObject>(
    _ objectClass: T.Type, _ keyPath: KeyPath<T, Destination?>, _ destination: Destination?
  ) throws -> T? {
    try first(objectClass.where { $0[dynamicMember: keyPath] == destination })
  }

  /// Returns the object whose attribute has a value, and inserts one with the value if there is none.
  ///
  /// ```swift
  /// let ada = try context.findOrCreate(Person.self, \.email, "ada@example.org") { person in
  ///   person.name = "Ada"
  /// }
  /// try context.save()
  /// ```
  /// Unsaved changes are included: a second call before a save returns the object that the first one has inserted,
  /// and an object that the context has deleted is not found. Nothing is written before the save.
  ///
  /// Another context may insert an object with the value between this call and the save. Make the attribute unique:
  /// then only one of the two is stored, and the save of the other context throws `managedObjectConstraintMerge`,
  /// unless its merge policy resolves the conflict. Without a uniqueness constraint both are saved.
  ///
  /// - Parameters:
  ///   - objectClass: The class of a new object; objects of subclasses are found, too.
  ///   - keyPath: An attribute of the class.
  ///   - value: The value.
  ///   - fill: Sets the other properties of a new object, whose attribute already has the value. If it throws, the
  ///     object is deleted again.
  /// - Returns: The object that was found or inserted.
  /// - Throws: What the closure throws; as `fetch`; ``PersistenceError`` with code `abstractEntity` when an object of
  ///   an abstract entity would have to be inserted.
  /// - Complexity: As `find`.
  public func findOrCreate<T: ManagedObject, Value: AttributeValue>(
    _ objectClass: T.Type, _ keyPath: ReferenceWritableKeyPath<T, Value>, _ value: Value,
    _ fill: (T) throws -> Void = { _ in }
  ) throws -> T {
    if let known = try find(objectClass, keyPath, value) { return known }
    return try make(objectClass) { object in
      object[keyPath: keyPath] = value
      try fill(object)
    }
  }

  /// Returns the object whose attribute has a case of an enum, and inserts one with it if there is none, as for other
  /// attributes.
  ///
  /// ```swift
  /// let vip = try context.findOrCreate(Discount.self, \.level, .vip) { $0.percent = 10 }
  /// ```
  /// - Parameters:
  ///   - objectClass: The class of a new object.
  ///   - keyPath: An attribute of a type with a raw value.
  ///   - value: The value.
  ///   - fill: Sets the other properties of a new object.
  /// - Returns: The object that was found or inserted.
  /// - Throws: As the form for other attributes.
  /// - Complexity: As `fetch` with a limit of 1.
  @_disfavoredOverload
  public func findOrCreate<T: ManagedObject, Value: RawRepresentable>(
    _ objectClass: T.Type, _ keyPath: ReferenceWritableKeyPath<T, Value>, _ value: Value,
    _ fill: (T) throws -> Void = { _ in }
  ) throws -> T where Value.RawValue: AttributeValue {
    if let known = try find(objectClass, keyPath, value) { return known }
    return try make(objectClass) { object in
      object[keyPath: keyPath] = value
      try fill(object)
    }
  }

  /// Returns the object that has the values of several properties, and inserts one with them if there is none: the
  /// counterpart of properties that are unique together.
  ///
  /// ```swift
  /// let account = try context.findOrCreate(
  ///   Account.self, matching: [.equal(\.country, "CH"), .equal(\.number, 7), .equal(\.owner, ada)]
  /// ) { $0.opened = Date() }
  /// ```
  /// - Parameters:
  ///   - objectClass: The class of a new object; objects of subclasses are found, too.
  ///   - matches: The properties with their values. Without any, every object is a match.
  ///   - fill: Sets the other properties of a new object. If it throws, the object is deleted again.
  /// - Returns: The object that was found or inserted.
  /// - Throws: As the form for one attribute.
  /// - Complexity: As `fetch` with a limit of 1: declare the properties as unique together, or index them.
  public func findOrCreate<T: ManagedObject>(
    _ objectClass: T.Type, matching matches: [PropertyMatch<T>],
    _ fill: (T) throws -> Void = { _ in }
  ) throws -> T {
    if let known = try find(objectClass, matching: matches) { return known }
    return try make(objectClass) { object in
      for match in matches { match.assign(object) }
      try fill(object)
    }
  }

  /// Returns the object that is related to another one, and inserts one if there is none.
  ///
  /// ```swift
  /// let badge = try context.findOrCreate(Badge.self, \.owner, ada) { $0.colour = "red" }
  /// ```
  /// - Parameters:
  ///   - objectClass: The class of a new object; objects of subclasses are found, too.
  ///   - keyPath: A to-one relationship.
  ///   - destination: The destination.
  ///   - fill: Sets the other properties of a new object. If it throws, the object is deleted again.
  /// - Returns: The object that was found or inserted.
  /// - Throws: As the form for attributes.
  /// - Complexity: As `fetch` with a limit of 1.
  @_disfavoredOverload
  public func findOrCreate<T: ManagedObject, Destination: ManagedObject>(
    _ objectClass: T.Type, _ keyPath: ReferenceWritableKeyPath<T, Destination?>,
    _ destination: Destination, _ fill: (T) throws -> Void = { _ in }
  ) throws -> T {
    try findOrCreate(objectClass, matching: [.equal(keyPath, destination)], fill)
  }

  /// Returns the object that has the values of several properties; nil when there is none, and the first one by object
  /// ID when there are several.
  ///
  /// ```swift
  /// let account = try context.find(Account.self, matching: [.equal(\.country, "CH"), .equal(\.number, 7)])
  /// ```
  /// - Parameters:
  ///   - objectClass: The class, subclasses included.
  ///   - matches: The properties with their values. Without any, every object is a match.
  /// - Throws: As `fetch`; `invalidRequest` for the key path of a computed property.
  /// - Complexity: As `fetch` with a limit of 1.
  public func find<T: ManagedObject>(
    _ objectClass: T.Type, matching matches: [PropertyMatch<T>]
  ) throws -> T? {
    try first(objectClass.where { _ in .and(matches.map(\.condition)) })
  }

  private func make<T: ManagedObject>(
    _ objectClass: T.Type, _ fill: (T) throws -> Void
  ) throws -> T {
    let model = persistentStoreCoordinator?.managedObjectModel
    if let entity = model?.entitiesByName[objectClass.entityName], entity.isAbstract {
      throw PersistenceError(
        .abstractEntity,
        "Nothing has the value, and no object can be made: the entity is abstract.",
        entityName: entity.name
      ).remedied(by: "Name the class of a concrete entity.")
    }
    let object = T(context: self)
    do {
      try fill(object)
    } catch {
      delete(object)
      throw error
    }
    return object
  }
}
