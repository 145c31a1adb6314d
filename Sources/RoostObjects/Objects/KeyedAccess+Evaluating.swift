// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostModel
public import RoostQuery

// Conditions and orders for objects at hand, by the evaluator that judges unsaved objects.
extension FetchPredicate {
  /// Whether an object satisfies the condition, with the values that it has now.
  ///
  /// ```swift
  /// let adults = try people.filter { try isAdult.evaluate(with: $0) }
  /// ```
  /// - Parameter object: An object of a context.
  /// - Throws: ``PersistenceError`` with code `unknownKey`, `invalidPredicate` or `contextWithoutCoordinator`.
  /// - Complexity: Fires the faults that the condition looks into.
  public func evaluate(with object: ManagedObject) throws -> Bool {
    let resolved = try object.keyed.resolving { $0.predicate = self }
    guard let predicate = resolved.fetch.predicate else { return true }
    return try PredicateEvaluator(predicate, source: resolved.source).matches(object)
  }
}

extension SortOrdering {
  /// How two objects of one entity are ordered, with the values that they have now.
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
  /// A request for the object's entity, resolved, and where its values come from.
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
