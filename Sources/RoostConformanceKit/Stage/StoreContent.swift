// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel
import RoostObjects
import RoostQuery

/// The whole content of a stack's stores, read through a new context: the values and relationships of each record.
package struct StoreContent: Equatable {
  /// The content by the URI of the record, then by the name of the property. Relationships are lists of URIs.
  package var records: [String: [String: Property]] = [:]

  package init() {}

  package enum Property: Equatable {
    case value(ExactValue)
    case destinations([String])
  }

  /// Throws unless two contents are equal, and names the first difference.
  package static func expectSame(_ found: StoreContent, _ wanted: StoreContent) throws {
    guard found != wanted else { return }
    for (uri, properties) in wanted.records.sorted(by: { $0.key < $1.key }) {
      guard let others = found.records[uri] else {
        throw ExpectationFailure(
          message: "\(uri) is gone after reopening", file: #fileID, line: #line)
      }
      for (name, property) in properties where others[name] != property {
        throw ExpectationFailure(
          message: "\(uri) \(name) was \(property), is \(others[name] as Any) after reopening",
          file: #fileID, line: #line)
      }
    }
    let surplus = Set(found.records.keys).subtracting(wanted.records.keys).sorted()
    throw ExpectationFailure(
      message: "\(surplus) came with reopening", file: #fileID, line: #line)
  }
}

extension ConformanceStack {
  /// Reads everything that the stores hold; nothing when a store was removed.
  package func content() throws -> StoreContent {
    var result = StoreContent()
    guard isWhole else { return result }
    let context = makeContext()
    for entity in model.entities where !entity.isAbstract {
      guard let name = entity.name else { continue }
      let request = FetchRequest<ManagedObject>(entityName: name)
      request.includesSubentities = false
      let objects: [ManagedObject]
      do {
        objects = try context.fetch(request)
      } catch let error as PersistenceError where error.code == .noStore {
        continue
      }
      for object in objects {
        result.records["\(object.objectID.uriRepresentation())"] = try Self.properties(of: object)
      }
    }
    return result
  }

  private static func properties(
    of object: ManagedObject
  ) throws -> [String: StoreContent.Property] {
    var result: [String: StoreContent.Property] = [:]
    for name in object.entity.layout.names where !name.hasPrefix("@") {
      guard object.entity.relationshipsByName[name] == nil else { continue }
      result[name] = .value(ExactValue(try object.get(name)))
    }
    for relationship in object.entity.relationshipsInOrder {
      let destinations: [ManagedObject]
      if relationship.isToMany {
        destinations = try object.many(relationship.name)
      } else {
        destinations = try object.one(relationship.name).map { [$0] } ?? []
      }
      let uris = destinations.map { "\($0.objectID.uriRepresentation())" }
      result[relationship.name] = .destinations(relationship.isOrdered ? uris : uris.sorted())
    }
    return result
  }
}
