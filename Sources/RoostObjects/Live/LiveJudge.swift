// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel
import RoostQuery
import RoostStore

/// A request evaluated on single objects: whether they are results in their current state, and in which order.
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

  /// Returns whether an object satisfies the predicate in its current state; false for a deleted object, and for one
  /// whose record is gone.
  ///
  /// - Throws: The errors of reading a fault.
  func matches(_ object: ManagedObject) throws -> Bool {
    guard entities.contains(ObjectIdentifier(object.entity)), object.context != nil,
      !object.isLeaving, object.flags.isDisjoint(with: [.deleted, .inaccessible])
    else { return false }
    return try predicate?.matches(object) ?? true
  }

  /// Returns whether one object comes before another: records with equal sort keys are ordered by their primary keys,
  /// then by the order of their stores.
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
