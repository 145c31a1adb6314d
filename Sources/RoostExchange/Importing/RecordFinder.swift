// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostObjects
import RoostQuery
import RoostStore

/// Finds the records with given keys or IDs in a store, many in one query.
struct RecordFinder {
  private static let largestList = 500
  private static let largestChoice = 100

  let context: ManagedObjectContext
  /// The store whose records take precedence over those of other stores.
  let store: StoreIdentity

  /// Returns the objects with the given keys.
  func objects(with keys: Set<RecordKeyValues>) throws -> [RecordKeyValues: ManagedObject] {
    var found: [RecordKeyValues: ManagedObject] = [:]
    for (key, object) in try holders(of: keys)
    where found[key] == nil || object.objectID.storeIdentity?.identifier == store.identifier {
      found[key] = object
    }
    return found
  }

  /// Returns all objects with the given keys: in the middle of an import two may have one.
  func holders(
    of keys: Set<RecordKeyValues>
  ) throws -> [(key: RecordKeyValues, object: ManagedObject)] {
    struct Kind: Hashable {
      let owner: ObjectIdentifier
      let names: [String]
    }
    var found: [(key: RecordKeyValues, object: ManagedObject)] = []
    let kinds = Dictionary(grouping: keys) {
      Kind(owner: ObjectIdentifier($0.owner), names: $0.names)
    }
    for keys in kinds.values {
      guard let first = keys.first else { continue }
      let size = first.names.count == 1 ? Self.largestList : Self.largestChoice
      for start in stride(from: 0, to: keys.count, by: size) {
        let part = keys[start..<min(start + size, keys.count)]
        for object in try fetch(first.owner, Self.condition(Array(part), first.names)) {
          found.append((try RecordKeyValues(of: object, like: first), object))
        }
      }
    }
    return found
  }

  private static func condition(_ keys: [RecordKeyValues], _ names: [String]) -> FetchPredicate {
    if names.count == 1 {
      return .comparison(
        ComparisonPredicate(
          .keyPath([names[0]]), .in, .list(keys.map { .constant($0.values[0]) })))
    }
    return .or(
      keys.map { key in
        .and(
          zip(names, key.values).map {
            .comparison(ComparisonPredicate(.keyPath([$0]), .equalTo, .constant($1)))
          })
      })
  }

  /// Returns the objects of the IDs that have a record, or are new in the context.
  func objects(with ids: Set<ObjectID>) throws -> [ObjectID: ManagedObject] {
    var found: [ObjectID: ManagedObject] = [:]
    for ids in Dictionary(grouping: ids, by: { ObjectIdentifier($0.entity.rootEntity) }).values {
      for start in stride(from: 0, to: ids.count, by: Self.largestList) {
        let part = ids[start..<min(start + Self.largestList, ids.count)]
        let members = part.map { FetchExpression.constant(.objectID($0)) }
        let condition = ComparisonPredicate(.evaluatedObject, .in, .list(members))
        for object in try fetch(part[start].entity.rootEntity, .comparison(condition)) {
          found[object.objectID] = object
        }
      }
    }
    return found
  }

  private func fetch(
    _ entity: EntityDescription, _ condition: FetchPredicate
  ) throws -> [ManagedObject] {
    let request = FetchRequest<ManagedObject>(entityName: entity.name ?? "")
    request.predicate = condition
    request.returnsObjectsAsFaults = false
    return try context.fetch(request)
  }
}
