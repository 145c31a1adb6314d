// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostModel
public import RoostQuery

// Evaluates predicates and sort descriptors on objects in memory, with the evaluator for unsaved objects.
extension FetchPredicate {
  /// Returns whether an object satisfies the predicate with its current values.
  ///
  /// ```swift
  /// let adults = try people.filter { try isAdult.evaluate(with: $0) }
  /// ```
  /// - Parameter object: An object of a context.
  /// - Throws: ``PersistenceError`` with code `unknownKey`, `invalidPredicate` or `contextWithoutCoordinator`.
  /// - Complexity: Fires the faults that the predicate reads.
  public func evaluate(with object: ManagedObject) throws -> Bool {
    let resolved = try object.keyed.resolving { $0.predicate = self }
    guard let predicate = resolved.fetch.predicate else { return true }
    return try PredicateEvaluator(predicate, source: resolved.source).matches(object)
  }
}

extension SortOrdering {
  /// Returns the order of two objects of one entity, by their current values.
  ///
  /// - Throws: ``PersistenceError`` with code `unknownKey` or `contextWithoutCoordinator`.
  public func compare(_ left: ManagedObject, to right: ManagedObject) throws -> ComparisonResult {
    let resolved = try left.keyed.resolving { $0.sortDescriptors = [self] }
    let sorter = try SortEvaluator(resolved.fetch.sort, source: resolved.source)
    if try sorter.isOrderedBefore(left, right) { return .orderedAscending }
    return try sorter.isOrderedBefore(right, left) ? .orderedDescending : .orderedSame
  }
}

extension KeyedAccess {
  /// Returns a resolved request for the object's entity, and the source of its values.
  fileprivate func resolving(
    _ edit: (FetchRequest<ManagedObject>) -> Void
  ) throws -> (fetch: ResolvedFetch, source: GraphSource) {
    guard let context = owner.context, context.model != nil else {
      throw PersistenceError(
        .contextWithoutCoordinator, "The object has no context.", entityName: owner.entity.name)
    }
    let request = FetchRequest<ManagedObject>(entity: owner.entity)
    edit(request)
    return (try context.fetcher.requestResolver().resolve(request), GraphSource(context: context))
  }
}
