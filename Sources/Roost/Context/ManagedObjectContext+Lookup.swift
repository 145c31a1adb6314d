// SPDX-License-Identifier: Apache-2.0

public import RoostModel
public import RoostObjects
public import RoostQuery

// One-line queries: the first object, existence, counts, and objects by ID with their class.
extension ManagedObjectContext {
  /// Returns the first object that matches a request; nil when none does.
  ///
  /// ```swift
  /// let youngest = try context.first(Person.fetchRequest().sorted(by: \.age))
  /// ```
  /// - Parameter request: The request. Its limit is ignored, and it is not changed.
  /// - Throws: As `fetch`.
  /// - Complexity: As `fetch` with a limit of 1.
  public func first<T: ManagedObject>(_ request: FetchRequest<T>) throws -> T? {
    try fetch(request.limit(1)).first
  }

  /// Returns the first object of a class that satisfies a condition, by object ID; nil when none does.
  ///
  /// ```swift
  /// let admin = try context.first(Person.self) { $0.isAdmin == true }
  /// ```
  /// - Parameters:
  ///   - objectClass: The class, subclasses included.
  ///   - condition: The condition, made of the members of its argument.
  /// - Throws: As `fetch`.
  /// - Complexity: As `fetch` with a limit of 1.
  public func first<T: ManagedObject>(
    _ objectClass: T.Type, where condition: (QueryObject<T>) -> FetchPredicate
  ) throws -> T? {
    try first(objectClass.where(condition))
  }

  /// Returns whether an object of a class satisfies a condition, unsaved changes and subclasses included.
  ///
  /// ```swift
  /// if try context.exists(Person.self, where: { $0.email == "ada@example.org" }) { return }
  /// ```
  /// - Parameters:
  ///   - objectClass: The class.
  ///   - condition: The condition, made of the members of its argument.
  /// - Throws: As `fetch`.
  /// - Complexity: As ``exists(_:)``.
  public func exists<T: ManagedObject>(
    _ objectClass: T.Type, where condition: (QueryObject<T>) -> FetchPredicate
  ) throws -> Bool {
    try exists(objectClass.where(condition))
  }

  /// Returns whether a request matches anything, unsaved changes included.
  ///
  /// ```swift
  /// if try context.exists(Person.where { $0.email == "ada@example.org" }) { return }
  /// ```
  /// - Parameter request: The request. It is not changed.
  /// - Throws: As `fetch`.
  /// - Complexity: One query for each affected store, which searches for one record; no row is read.
  public func exists<T>(_ request: FetchRequest<T>) throws -> Bool {
    let question = request.limit(1)
    question.sortDescriptors = nil
    return try count(for: question) > 0
  }

  /// Returns the number of objects of a class, unsaved changes and objects of subclasses included.
  ///
  /// ```swift
  /// let everybody = try context.count(Person.self)
  /// ```
  /// - Parameter objectClass: The class.
  /// - Throws: As `fetch`.
  /// - Complexity: As `count(for:)`.
  public func count<T: ManagedObject>(_ objectClass: T.Type) throws -> Int {
    try count(for: objectClass.fetchRequest())
  }

  /// Returns the number of objects of a class that satisfy a condition, unsaved changes and subclasses included.
  ///
  /// ```swift
  /// let adults = try context.count(Person.self) { $0.age >= 18 }
  /// ```
  /// - Parameters:
  ///   - objectClass: The class.
  ///   - condition: The condition, made of the members of its argument.
  /// - Throws: As `fetch`.
  /// - Complexity: As `count(for:)`.
  public func count<T: ManagedObject>(
    _ objectClass: T.Type, where condition: (QueryObject<T>) -> FetchPredicate
  ) throws -> Int {
    try count(for: objectClass.where(condition))
  }

  /// Returns the object of a class with an ID, without asking a store: the registered one, or a new fault, whose
  /// record may turn out not to exist.
  ///
  /// ```swift
  /// let ada = try context.object(Person.self, with: id)
  /// ```
  /// - Parameters:
  ///   - objectClass: The object's class, or a superclass of it.
  ///   - id: The ID.
  /// - Throws: ``PersistenceError`` with code `invalidRequest` when the ID belongs to an object of another class.
  /// - Complexity: No query.
  public func object<T: ManagedObject>(_ objectClass: T.Type, with id: ObjectID) throws -> T {
    try typed(object(with: id))
  }

  /// Returns the object of a class with an ID, with its values loaded.
  ///
  /// ```swift
  /// let ada = try context.existingObject(Person.self, with: id)
  /// ```
  /// - Parameters:
  ///   - objectClass: The object's class, or a superclass of it.
  ///   - id: The ID.
  /// - Throws: ``PersistenceError`` with code `objectReferentialIntegrity` when the record does not exist,
  ///   `invalidRequest` when the ID belongs to an object of another class, or the error of a store.
  /// - Complexity: At most one query.
  public func existingObject<T: ManagedObject>(
    _ objectClass: T.Type, with id: ObjectID
  ) throws -> T {
    try typed(existingObject(with: id))
  }

  private func typed<T: ManagedObject>(_ object: ManagedObject) throws -> T {
    guard let result = object as? T else {
      throw PersistenceError(
        .invalidRequest,
        "The ID is that of an object of the class \(type(of: object)), and the program asks for "
          + "\(T.self).", entityName: object.entity.name, objectIDs: [object.objectID]
      ).remedied(by: "Ask for that class, or for one above it.")
    }
    return result
  }
}
