// SPDX-License-Identifier: Apache-2.0

package import RoostModel
package import RoostQuery

/// A fetch request that is asked of single objects: whether they match as they are now, and in which order they stand.
/// What keeps the results of a request up to date is made of it.
package struct LiveFetch {
  private let entities: Set<ObjectIdentifier>
  private let related: RelatedEntities
  private let predicate: PredicateEvaluator<GraphSource>?
  private let sorter: SortEvaluator<GraphSource>

  /// Compiles a request.
  ///
  /// - Throws: As `fetch`.
  package init<T>(_ request: FetchRequest<T>, in context: ManagedObjectContext) throws {
    let fetch = try context.fetcher.resolve(request)
    let source = GraphSource(context: context)
    entities = Set(fetch.entities.map { ObjectIdentifier($0) })
    related = RelatedEntities(of: fetch)
    predicate = try fetch.predicate.map { try PredicateEvaluator($0, source: source) }
    sorter = try SortEvaluator(fetch.sort, source: source)
  }

  /// Whether an object is of the request's entities.
  package func concerns(_ object: ManagedObject) -> Bool {
    concerns(object.entity)
  }

  /// Whether objects of an entity can be among the results.
  package func concerns(_ entity: EntityDescription) -> Bool {
    entities.contains(ObjectIdentifier(entity))
  }

  /// Whether a change of an object can change whether others match, or where they stand.
  package func dependsOn(_ object: ManagedObject) -> Bool {
    related.contains(object.entity)
  }

  /// Whether an object satisfies the request's condition as it is now; a deleted one does not.
  ///
  /// - Throws: What reading a fault throws.
  package func matches(_ object: ManagedObject) throws -> Bool {
    guard concerns(object), object.managedObjectContext != nil, !object.flags.contains(.deleted)
    else { return false }
    return try predicate?.matches(object) ?? true
  }

  /// Puts some objects into a list that is in order already.
  ///
  /// - Complexity: O(*n* + *k* log *k*) comparisons for *k* objects and a list of *n*.
  package func inserting<Object: ManagedObject>(
    _ objects: [Object], into list: [Object]
  ) throws -> [Object] {
    var result: [Object] = []
    result.reserveCapacity(list.count + objects.count)
    let sorted = try objects.sorted { try sorter.isOrderedBefore($0, $1) }
    var next = 0
    for object in list {
      while next < sorted.count, try sorter.isOrderedBefore(sorted[next], object) {
        result.append(sorted[next])
        next += 1
      }
      result.append(object)
    }
    result.append(contentsOf: sorted[next...])
    return result
  }
}
