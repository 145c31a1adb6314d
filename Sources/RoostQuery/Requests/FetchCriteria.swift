// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// The contents of a ``FetchRequest`` as a value, also used for templates of a model.
///
/// ```swift
/// let criteria = request.criteria
/// ```
public struct FetchCriteria: Sendable {
  /// The entity; nil until it is set or resolved.
  public var entity: EntityDescription?
  /// The name of the entity, while its description is not known yet.
  public var entityName: String?
  /// The condition; nil for all objects.
  public var predicate: FetchPredicate?
  /// The sort order.
  public var sortDescriptors: [SortOrdering]?
  /// The maximum number of results; 0 for all.
  public var fetchLimit = 0
  /// The number of results to skip at the beginning.
  public var fetchOffset = 0
  /// The number of rows per batch; 0 for all at once.
  public var fetchBatchSize = 0
  /// The form of the results.
  public var resultType: FetchRequestResultType
  /// Whether the results include objects of subentities.
  public var includesSubentities = true
  /// Whether the results reflect unsaved changes.
  public var includesPendingChanges = true
  /// Whether fetched rows are cached for faults that fire later.
  public var includesPropertyValues = true
  /// Whether objects are returned as faults.
  public var returnsObjectsAsFaults = true
  /// Whether equal dictionaries are returned once.
  public var returnsDistinctResults = false
  /// Whether unchanged objects are refreshed with the store's values.
  public var shouldRefreshRefetchedObjects = false
  /// The relationships to prefetch.
  public var relationshipKeyPathsForPrefetching: [String]?
  /// The columns of a dictionary fetch; for an object fetch, the properties to read.
  public var propertiesToFetch: [any FetchableProperty]?
  /// The columns to group a dictionary fetch by.
  public var propertiesToGroupBy: [any FetchableProperty]?
  /// The condition on groups (HAVING).
  public var havingPredicate: FetchPredicate?
  /// The stores to search; nil for all.
  public var affectedStoreIdentities: [StoreIdentity]?

  /// The prefetch key paths that name no stored property.
  var refusedKeyPaths: [RefusedKeyPath] = []
  /// Whether columns were set before the entity (B133).
  var namedColumnsTooEarly = false

  /// Makes criteria for all objects of an entity.
  public init(
    entityName: String? = nil, entity: EntityDescription? = nil,
    resultType: FetchRequestResultType = .managedObjectResultType
  ) {
    self.entityName = entityName ?? entity?.name
    self.entity = entity
    self.resultType = resultType
  }

  /// The identifiers of the stores to search; nil for all.
  public var affectedStoreIdentifiers: [String]? {
    get { affectedStoreIdentities?.map(\.identifier) }
    set {
      affectedStoreIdentities = newValue?.map { StoreIdentity(identifier: $0, type: "") }
    }
  }

  var hasEntity: Bool { entity != nil || entityName != nil }
}

extension FetchCriteria: ModelFetchRequest {
  /// The name of the entity.
  public var templateEntityName: String? { entity?.name ?? entityName }
  /// The format of the condition.
  public var templatePredicateFormat: String? { predicate?.predicateFormat }
  /// The criteria with only the name of the entity, so that they stay valid in a copy of the model and in a merged
  /// model.
  public var templateSnapshot: any ModelFetchRequest {
    var snapshot = self
    snapshot.entityName = entity?.name ?? entityName
    snapshot.entity = nil
    return snapshot
  }
}
