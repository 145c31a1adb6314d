// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel
import RoostQuery
import RoostStore

/// A request that is asked of single objects: whether they are results as they are now, and in which order.
struct LiveJudge {
  private let entities: Set<ObjectIdentifier>
  private let predicate: PredicateEvaluator<GraphSource>?
  private let sorter: SortEvaluator<GraphSource>
  private let context: Unowned

  private struct Unowned {
    unowned let context: ManagedObjectContext
  }

  /// Compiles a request.
  ///
  /// - Throws: As `fetch`.
  init(_ fetch: ResolvedFetch, in context: ManagedObjectContext) throws {
    let source = GraphSource(context: context)
    entities = Set(fetch.entities.map { ObjectIdentifier($0) })
    predicate = try fetch.predicate.map { try PredicateEvaluator($0, source: source) }
    sorter = try SortEvaluator(fetch.sort, source: source)
    self.context = Unowned(context: context)
  }

  /// Whether an object satisfies the condition as it is now; a deleted one, and one whose record is gone, does not.
  ///
  /// - Throws: What reading a fault throws.
  func matches(_ object: ManagedObject) throws -> Bool {
    guard entities.contains(ObjectIdentifier(object.entity)), object.context != nil,
      !object.isLeaving, object.flags.isDisjoint(with: [.deleted, .inaccessible])
    else { return false }
    return try predicate?.matches(object) ?? true
  }

  /// Whether one object comes before another: records that are equal in everything are ordered by their keys, then by
  /// the order of their stores.
  func isOrderedBefore(_ left: ManagedObject, _ right: ManagedObject) throws -> Bool {
    let order = try sorter.order(left, right)
    if order != 0 { return order < 0 }
    let (leftKey, rightKey) = (left.identity.tieBreaker, right.identity.tieBreaker)
    guard leftKey == rightKey, left !== right else { return leftKey < rightKey }
    return rank(of: left) < rank(of: right)
  }

  private func rank(of object: ManagedObject) -> Int {
    let stores = context.context.persistentStoreCoordinator?.persistentStores ?? []
    return stores.firstIndex { $0.identity === object.identity.storeIdentity } ?? stores.count
  }
}
