// SPDX-License-Identifier: Apache-2.0

public import RoostObjects
public import RoostQuery

// Class-level requests of managed object classes.
extension ManagedObjectClass {
  /// The name of the entity of the class: the name in `@Entity`, otherwise the name of the class.
  public static var entityName: String {
    ownEntityName
  }

  /// Returns a request for all objects of the class.
  ///
  /// ```swift
  /// let people = try context.fetch(Person.fetchRequest())
  /// ```
  public static func fetchRequest() -> FetchRequest<Self> {
    FetchRequest<Self>(FetchCriteria(entityName: entityName))
  }
  /// Returns a request for the objects of the class that satisfy a condition.
  ///
  /// ```swift
  /// let adults = try context.fetch(Person.where { $0.age >= 18 }.sorted(by: \.name).limit(10))
  /// ```
  ///
  /// - Parameter condition: The condition, made of the members of its argument.
  public static func `where`(
    _ condition: (QueryObject<Self>) -> FetchPredicate
  ) -> FetchRequest<Self> {
    fetchRequest().where(condition)
  }
}
