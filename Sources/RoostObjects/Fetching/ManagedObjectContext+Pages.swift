// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel
package import RoostQuery
import RoostStore

/// A page of a request's results, with the position of the last one.
package struct ObjectPage<Object: ManagedObject> {
  package let objects: [Object]
  /// The position after which the next page begins; nil when this is the last one.
  package let end: PagePosition?
}

extension ManagedObjectContext {
  /// Returns the results of a request after a position.
  package func makePage<T: ManagedObject>(
    of request: FetchRequest<T>, after position: PagePosition?, size: Int
  ) throws -> ObjectPage<T> {
    checkQueue()
    let reading = try PageReading(context: self, request: request, size: size)
    var objects = try reading.objects(after: position)
    guard objects.count > size else { return ObjectPage(objects: objects, end: nil) }
    objects.removeLast(objects.count - size)
    guard let last = objects.last else { return ObjectPage(objects: [], end: nil) }
    return ObjectPage(
      objects: objects,
      end: PagePosition(values: try reading.storedValues(of: last), id: last.objectID))
  }
}

/// Reads a page and, if there are more results, at least one more object.
private struct PageReading<Object: ManagedObject> {
  let context: ManagedObjectContext
  let request: FetchRequest<Object>
  let size: Int
  let resolved: ResolvedFetch
  let sorter: SortEvaluator<GraphSource>
  /// The identifiers of the stores in the order that breaks ties of equal keys.
  let stores: [String]

  init(context: ManagedObjectContext, request: FetchRequest<Object>, size: Int) throws {
    self.context = context
    self.request = request
    self.size = size
    resolved = try context.fetcher.resolve(request)
    sorter = try SortEvaluator(resolved.sort, source: GraphSource(context: context))
    stores = try context.coordinator().persistentStores.map(\.identity.identifier)
  }

  func objects(after position: PagePosition?) throws -> [Object] {
    guard let position else { return try fetch(request.predicate, size.addingSaturated(1)) }
    let conditions = try position.conditions(
      after: request.sortDescriptors ?? [], includesEqualKeys: stores.count > 1)
    var result: [Object] = []
    for condition in conditions where result.count <= size {
      let predicate = request.predicate.map { $0 && condition } ?? condition
      // Each store may have one record with the key of the position.
      let spare = stores.count > 1 ? stores.count : 0
      let found = try fetch(predicate, (size - result.count).addingSaturated(1 + spare))
      result += try found.drop { try !isLater($0, position) }
    }
    return result
  }

  private func fetch(_ predicate: FetchPredicate?, _ limit: Int) throws -> [Object] {
    let part = request.copy()
    part.predicate = predicate
    part.fetchLimit = limit
    part.fetchBatchSize = 0
    // The position consists of the last object's values, which must be those by which the store has sorted.
    part.shouldRefreshRefetchedObjects = true
    return try context.fetch(part)
  }

  /// Whether an object with the key of the position comes after it; an object with another key does, since the query
  /// found it.
  private func isLater(_ object: Object, _ position: PagePosition) throws -> Bool {
    let (id, last) = (object.objectID, position.id.current)
    guard id.tieBreaker == last.tieBreaker else { return true }
    let order = request.sortDescriptors ?? []
    let identity = order.firstIndex { $0.key.lowercased() == "self" }
    let decisive = identity ?? order.count
    let values = try sorter.values(of: object)
    guard values.prefix(decisive) == position.values.prefix(decisive) else { return true }
    guard let identity else { return place(of: id) > place(of: last) }
    // If the objects themselves are a sort key, equal keys are ordered by the identifiers of the stores.
    let wanted: ValueOrder = order[identity].ascending ? .greater : .less
    return ValueOrder.compare(.objectID(id), .objectID(last)) == wanted
  }

  private func place(of id: ObjectID) -> Int {
    id.storeIdentity.flatMap { stores.firstIndex(of: $0.identifier) } ?? stores.count
  }

  /// Returns the sort values of an object. Values across relationships are queried from the store, as objects in
  /// memory may have earlier values than those by which the store has sorted.
  func storedValues(of object: Object) throws -> [Value] {
    let isInRow = resolved.sort.allSatisfy { $0.path.relationships.isEmpty }
    if !isInRow, !context.hasChanges, context.parentContext == nil,
      let values = try columns(of: object)
    {
      return values
    }
    return try sorter.values(of: object)
  }

  private func columns(of object: Object) throws -> [Value]? {
    let order = (request.sortDescriptors ?? []).map(\.key)
    var keys: [String] = []
    for key in order where !keys.contains(key) { keys.append(key) }
    let question = FetchRequest<[String: Any]>(entityName: object.entity.name ?? "")
    question.propertiesToFetch = keys
    question.predicate = .comparison(
      ComparisonPredicate(.evaluatedObject, .equalTo, .constant(.objectID(object.objectID))))
    let fetcher = context.fetcher
    guard let row = try fetcher.fetchTuples(fetcher.resolve(question), for: question).first else {
      return nil
    }
    let values = Dictionary(zip(keys, row), uniquingKeysWith: { first, _ in first })
    return order.map { values[$0] ?? .null }
  }
}

extension Int {
  /// Returns the sum, saturating at the maximum.
  fileprivate func addingSaturated(_ other: Int) -> Int {
    let (sum, isTooLarge) = addingReportingOverflow(other)
    return isTooLarge ? .max : sum
  }
}
