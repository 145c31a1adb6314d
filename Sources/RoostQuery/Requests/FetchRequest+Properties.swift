// SPDX-License-Identifier: Apache-2.0

public import RoostModel

// What a request says, part by part, under the names that Core Data gives them.
extension FetchRequest {
  /// The entity; nil until it is set, also after a request that was made with a name is executed. Setting it sets the
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

  /// The order, the most significant step first; nil and an empty array mean the order of the keys.
  public var sortDescriptors: [SortOrdering]? {
    get { read { $0.sortDescriptors } }
    set { update { $0.sortDescriptors = newValue } }
  }

  /// The largest number of results; 0 for all. It is applied after condition and order.
  public var fetchLimit: Int {
    get { read { $0.fetchLimit } }
    set { update { $0.fetchLimit = newValue } }
  }

  /// The number of results to skip at the beginning. It is applied after condition and order.
  public var fetchOffset: Int {
    get { read { $0.fetchOffset } }
    set { update { $0.fetchOffset = newValue } }
  }

  /// How many rows are to be read at a time; 0 for all at once.
  public var fetchBatchSize: Int {
    get { read { $0.fetchBatchSize } }
    set { update { $0.fetchBatchSize = newValue } }
  }

  /// The form of the results: objects, IDs, dictionaries or a count; that of `ResultType` unless set.
  public var resultType: FetchRequestResultType {
    get { read { $0.resultType } }
    set { update { $0.resultType = newValue } }
  }

  /// Whether the results include objects of subentities; true unless set.
  public var includesSubentities: Bool {
    get { read { $0.includesSubentities } }
    set { update { $0.includesSubentities = newValue } }
  }

  /// Whether the results reflect unsaved changes; true unless set. Dictionaries never show them.
  public var includesPendingChanges: Bool {
    get { read { $0.includesPendingChanges } }
    set { update { $0.includesPendingChanges = newValue } }
  }

  /// Whether the rows that were read are kept for faults that fire later; true unless set.
  public var includesPropertyValues: Bool {
    get { read { $0.includesPropertyValues } }
    set { update { $0.includesPropertyValues = newValue } }
  }

  /// Whether objects come as faults; true unless set.
  public var returnsObjectsAsFaults: Bool {
    get { read { $0.returnsObjectsAsFaults } }
    set { update { $0.returnsObjectsAsFaults = newValue } }
  }

  /// Whether equal dictionaries are returned once.
  public var returnsDistinctResults: Bool {
    get { read { $0.returnsDistinctResults } }
    set { update { $0.returnsDistinctResults = newValue } }
  }

  /// Whether clean objects take the values that the store has now; changed ones keep theirs.
  public var shouldRefreshRefetchedObjects: Bool {
    get { read { $0.shouldRefreshRefetchedObjects } }
    set { update { $0.shouldRefreshRefetchedObjects = newValue } }
  }

  /// The relationships whose destinations are fetched too, one request a step.
  public var relationshipKeyPathsForPrefetching: [String]? {
    get { read { $0.relationshipKeyPathsForPrefetching } }
    set { update { $0.relationshipKeyPathsForPrefetching = newValue } }
  }

  /// The columns of a fetch of dictionaries; for a fetch of objects, the properties that are read. The entity
  /// must be set first.
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

  /// The condition on groups: over aggregates, grouped properties and the names of columns.
  public var havingPredicate: FetchPredicate? {
    get { read { $0.havingPredicate } }
    set { update { $0.havingPredicate = newValue } }
  }

  /// The stores that are searched; nil for all that hold the entity.
  public var affectedStoreIdentities: [StoreIdentity]? {
    get { read { $0.affectedStoreIdentities } }
    set { update { $0.affectedStoreIdentities = newValue } }
  }

  /// The identifiers of the stores that are searched; nil for all that hold the entity.
  public var affectedStoreIdentifiers: [String]? {
    get { read { $0.affectedStoreIdentifiers } }
    set { update { $0.affectedStoreIdentifiers = newValue } }
  }
}
