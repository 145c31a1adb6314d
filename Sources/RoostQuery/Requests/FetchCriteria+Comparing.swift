// SPDX-License-Identifier: Apache-2.0

package import RoostModel

extension FetchCriteria: ComparableModelRequest {
  /// Whether another request is defined alike: entities are compared by name, columns by expression.
  package func isDefinedLike(_ other: any ModelFetchRequest) -> Bool {
    guard let other = other.templateSnapshot as? FetchCriteria else { return false }
    return templateEntityName == other.templateEntityName && predicate == other.predicate
      && havingPredicate == other.havingPredicate
      && (sortDescriptors ?? []) == (other.sortDescriptors ?? [])
      && numbers == other.numbers && flags == other.flags
      && relationshipKeyPathsForPrefetching ?? [] == other.relationshipKeyPathsForPrefetching ?? []
      && Self.columns(propertiesToFetch) == Self.columns(other.propertiesToFetch)
      && Self.columns(propertiesToGroupBy) == Self.columns(other.propertiesToGroupBy)
      && affectedStoreIdentifiers == other.affectedStoreIdentifiers
  }

  private var numbers: [Int] {
    [fetchLimit, fetchOffset, fetchBatchSize, Int(resultType.rawValue)]
  }

  private var flags: [Bool] {
    [
      includesSubentities, includesPendingChanges, includesPropertyValues, returnsObjectsAsFaults,
      returnsDistinctResults, shouldRefreshRefetchedObjects,
    ]
  }

  private static func columns(_ properties: [any FetchableProperty]?) -> [[String]] {
    (properties ?? []).map { property in
      let column = property as? ExpressionDescription
      let type = column.map { String($0.expressionResultType.rawValue) } ?? ""
      return [property.fetchedName, column?.expression?.expressionFormat ?? "", type]
    }
  }
}
