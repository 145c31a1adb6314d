// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel
package import RoostObjects
package import RoostQuery
import RoostStore

extension ManagedObjectContext {
  /// Inserts an object of an entity and sets properties.
  @discardableResult package func make(
    _ entityName: String, _ values: KeyValuePairs<String, Any?> = [:]
  ) throws -> ManagedObject {
    let object = try insert(entityName)
    for (key, value) in values { try object.set(key, value) }
    return object
  }

  /// Inserts an object of an entity.
  package func insert(_ entityName: String) throws -> ManagedObject {
    let coordinator = try require(persistentStoreCoordinator, "the coordinator")
    let entity = try require(
      coordinator.managedObjectModel.entitiesByName[entityName], "the entity \(entityName)")
    let objectClass = entity.managedObjectClass as? ManagedObject.Type ?? ManagedObject.self
    return objectClass.init(entity: entity, insertInto: self)
  }

  /// The objects that satisfy a condition, ordered by name.
  package func all(
    _ entityName: String, _ format: String? = nil, _ arguments: Any?...
  ) throws -> [ManagedObject] {
    try fetch(request(entityName, format, arguments))
  }

  /// The names of the objects that satisfy a condition, ordered by name.
  package func names(
    _ entityName: String, _ format: String? = nil, _ arguments: Any?...
  ) throws -> [String] {
    try fetch(request(entityName, format, arguments)).map { try $0.text("name") ?? "-" }
  }

  /// Returns the only object with a name.
  package func named(_ entityName: String, _ name: String) throws -> ManagedObject {
    let found = try all(entityName, "name == %@", name)
    try expectEqual(found.count, 1, "the number of objects named \(name)")
    return found[0]
  }

  /// A request for objects that satisfy a condition, ordered by name.
  package func request(
    _ entityName: String, _ format: String?, _ arguments: [Any?]
  ) throws -> FetchRequest<ManagedObject> {
    let request = FetchRequest<ManagedObject>(entityName: entityName)
    if let format {
      request.predicate = try FetchPredicate(format: format, argumentArray: arguments)
    }
    request.sortDescriptors = [SortOrdering("name")]
    return request
  }
}
