// SPDX-License-Identifier: Apache-2.0

public import RoostModel
public import RoostObjects

extension EntityDescription {
  /// Creates an object of the class that an entity names, and inserts it. A name that the model does not have stops
  /// the program, as in Core Data.
  ///
  /// - Parameters:
  ///   - entityName: The name of an entity that is not abstract.
  ///   - context: A context with a coordinator.
  public static func insertNewObject(
    forEntityName entityName: String, into context: NSManagedObjectContext
  ) -> NSManagedObject {
    do {
      return try insertObject(ofEntityNamed: entityName, into: context)
    } catch {
      preconditionFailure("\(error)")
    }
  }
}
