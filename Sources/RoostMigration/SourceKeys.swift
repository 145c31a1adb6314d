// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostObjects
import RoostQuery

/// Reads records of a context's store by their keys: all keys of an entity first, then batches of objects.
struct SourceKeys {
  let context: ManagedObjectContext

  /// The keys of the objects that a mapping takes, in ascending order.
  func keys(of mapping: CompiledMapping) throws -> [Int64] {
    guard let entity = mapping.source else { return [] }
    return try keys(of: entity, mapping.condition)
  }

  /// The keys of the objects of an entity, without those of its subentities.
  func keys(of entity: EntityDescription, _ condition: FetchPredicate? = nil) throws -> [Int64] {
    let request = FetchRequest<ObjectID>(entityName: entity.name ?? "")
    request.predicate = condition
    request.includesSubentities = false
    return try context.bridge.found(by: request).map(\.key).sorted()
  }

  /// Returns the objects with some IDs, read at once; deleted ones are left out.
  ///
  /// - Parameter relationships: To-many relationships to prefetch.
  func objects(
    _ ids: [ObjectID], of entity: EntityDescription, reading relationships: [String] = []
  ) throws -> [ManagedObject] {
    guard !ids.isEmpty else { return [] }
    let request = FetchRequest<ManagedObject>(entityName: entity.name ?? "")
    request.predicate = .comparison(
      ComparisonPredicate(.evaluatedObject, .in, .constant(.list(ids.map { .objectID($0) }))))
    request.includesSubentities = false
    request.returnsObjectsAsFaults = false
    if !relationships.isEmpty { request.relationshipKeyPathsForPrefetching = relationships }
    let found = try context.bridge.found(by: request)
    let byID = Dictionary(found.map { ($0.objectID, $0) }, uniquingKeysWith: { first, _ in first })
    return ids.compactMap { byID[$0] }
  }
}

extension Array {
  /// Calls `body` with one part after another.
  func forEachBatch(of size: Int, _ body: (ArraySlice<Element>) throws -> Void) rethrows {
    var start = startIndex
    while start < endIndex {
      let end = Swift.min(start + size, endIndex)
      try body(self[start..<end])
      start = end
    }
  }
}
