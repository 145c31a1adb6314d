// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostCoordinator
import RoostModel
import RoostObjects
import RoostStore

/// All objects of a context with all their properties, as lines that can be compared.
enum StoreFacts {
  static func lines(of context: ManagedObjectContext) throws -> [String] {
    let model = try require(context.persistentStoreCoordinator?.managedObjectModel, "the model")
    var lines: [String] = []
    for (name, entity) in model.entitiesByName.sorted(by: { $0.key < $1.key }) {
      guard !entity.isAbstract else { continue }
      for object in try context.all(name) {
        lines.append(try line(of: object))
      }
    }
    return lines.sorted()
  }

  static func line(of object: ManagedObject) throws -> String {
    func short(_ id: ObjectID) -> String {
      "\(id.entity.name ?? "")\(RecordKey.sequence(of: id.key))"
    }
    var parts = [short(object.objectID)]
    for property in object.entity.properties.sorted(by: { $0.name < $1.name }) {
      switch property {
      case let relationship as RelationshipDescription:
        let ids = try object.objectIDs(forRelationshipNamed: relationship.name).map(short)
        parts.append("\(relationship.name): \(relationship.isOrdered ? ids : ids.sorted())")
      case let attribute as AttributeDescription:
        parts.append("\(attribute.name): \(try object.get(attribute.name))")
      default: break
      }
    }
    return parts.joined(separator: "; ")
  }
}
