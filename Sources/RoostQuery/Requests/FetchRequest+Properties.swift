// SPDX-License-Identifier: Apache-2.0

public import RoostModel

// The properties of a request, with Core Data's names.
extension FetchRequest {
  /// The entity; nil until it is set, also after executing a request that was made with a name. Setting it sets the
  /// name.
  public var entity: EntityDescription? {
    get { read { $0.entity } }
    set {
      update {
        $0.entity = newValue
        $0.entityName = newValue?.name
      }
    }
  }

  /// The name of the entity.
  public var entityName: String? {
    get { read { $0.entityName } }
    set {
      update {
        $0.entityName = newValue
        if $0.entity?.name != newValue { $0.entity = nil }
      }
    }
  }

  /// The condition; nil for all objects.
  public var predicate: FetchPredicate? {
    get { read { $0.predicate } }
    set { update { $0.predicate = newValue } }
  }

  /// The sort order, the most significant step first; nil and an empty array mean the order of the keys.
  public var sortDescriptors: [SortOrdering]? {
    get { read { $0.sortDescriptors } }
    set { update { $0.sortDescriptors = newValue } }
  }

  /// The maximum number of results; 0 for all. It is applied after condition and sort order.
  public var fetchLimit: Int {
    get { read { $0.fetchLimit } }
    set { update { $0.fetchLimit = newValue } }
  }

  /// The number of results to skip at the beginning. It is applied after condition and sort order.
  public var fetchOffset: Int {
    get { read { $0.fetchOffset } }
    set { update { $0.fetchOffset = newValue } }
  }

  /// The number of rows per batch; 0 for all at once.
  public var fetchBatchSize: Int {
    get { read { $0.fetchBatchSize } }
    set { update { $0.fetchBatchSize = newValue } }
  }

  /// The form of the results: objects, IDs, dictionaries or a count; by default that of `ResultType`.
  public var resultType: FetchRequestResultType {
    get { read { $0.resultType } }
    set { update { $0.resultType = newValue } }
  }

  /// Whether the results include objects of subentities; true unless set.
  public var includesSubentities: Bool {
    get { read { $0.includesSubentities } }
    set { update { $0.includesSubentities = newValue } }
  }

  /// Whether the results reflect unsaved changes; true unless set. Dictionaries never do.
  public var includesPendingChanges: Bool {
    get { read { $0.includesPendingChanges } }
    set { update { $0.includesPendingChanges = newValue } }
  }

  /// Whether fetched rows are cached for faults that fire later; true unless set.
  public var includesPropertyValues: Bool {
    get { read { $0.includesPropertyValues } }
    set { update { $0.includesPropertyValues = newValue } }
  }

  /// Whether objects are returned as faults; true unless set.
  public var returnsObjectsAsFaults: Bool {
    get { read { $0.returnsObjectsAsFaults } }
    set { update { $0.returnsObjectsAsFaults = newValue } }
  }

  /// Whether equal dictionaries are returned once.
  public var returnsDistinctResults: Bool {
    get { read { $0.returnsDistinctResults } }
    set { update { $0.returnsDistinctResults = newValue } }
  }

  /// Whether unchanged objects are refreshed with the store's values; changed objects keep theirs.
  public var shouldRefreshRefetchedObjects: Bool {
    get { read { $0.shouldRefreshRefetchedObjects } }
    set { update { $0.shouldRefreshRefetchedObjects = newValue } }
  }

  /// The relationships to prefetch, with one request per step.
  public var relationshipKeyPathsForPrefetching: [String]? {
    get { read { $0.relationshipKeyPathsForPrefetching } }
    set { update { $0.relationshipKeyPathsForPrefetching = newValue } }
  }

  /// The columns of a fetch of dictionaries; for a fetch of objects, the properties to read. The entity must be set
  /// first.
  public var propertiesToFetch: [any FetchableProperty]? {
    get { read { $0.propertiesToFetch } }
    set {
      update {
        if !$0.hasEntity, newValue != nil { $0.namedColumnsTooEarly = true }
        $0.propertiesToFetch = newValue
      }
    }
  }

  /// The columns by which a fetch of dictionaries is grouped. The entity must be set first.
  public var propertiesToGroupBy: [any FetchableProperty]? {
    get { read { $0.propertiesToGroupBy } }
    set {
      update {
        if !$0.hasEntity, newValue != nil { $0.namedColumnsTooEarly = true }
        $0.propertiesToGroupBy = newValue
      }
    }
  }

  /// The condition on groups (HAVING), over aggregates, grouped properties and column names.
  public var havingPredicate: FetchPredicate? {
    get { read { $0.havingPredicate } }
    set { update { $0.havingPredicate = newValue } }
  }

  /// The stores to search; nil for all that hold the entity.
  public var affectedStoreIdentities: [StoreIdentity]? {
    get { read { $0.affectedStoreIdentities } }
    set { update { $0.affectedStoreIdentities = newValue } }
  }

  /// The identifiers of the stores to search; nil for all that hold the entity.
  public var affectedStoreIdentifiers: [String]? {
    get { read { $0.affectedStoreIdentifiers } }
    set { update { $0.affectedStoreIdentifiers = newValue } }
  }
}
