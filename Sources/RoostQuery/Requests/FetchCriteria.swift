// SPDX-License-Identifier: Apache-2.0

public import RoostModel

/// Everything that a ``FetchRequest`` says, as a value: what a model keeps as a template.
///
/// ```swift
/// let criteria = request.criteria
/// ```
public struct FetchCriteria: Sendable {
  /// The entity; nil until it is set or resolved.
  public var entity: EntityDescription?
  /// The name of the entity when its description is not known yet.
  public var entityName: String?
  /// The condition; nil for all objects.
  public var predicate: FetchPredicate?
  /// The order.
  public var sortDescriptors: [SortOrdering]?
  /// How many results are wanted at the most; 0 for all.
  public var fetchLimit = 0
  /// How many results are left out at the beginning.
  public var fetchOffset = 0
  /// How many rows are to be read at a time; 0 for all at once.
  public var fetchBatchSize = 0
  /// What is wanted of each record.
  public var resultType: FetchRequestResultType
  /// Whether objects of subentities are wanted too.
  public var includesSubentities = true
  /// Whether unsaved changes count.
  public var includesPendingChanges = true
  /// Whether the rows that were read are kept for faults that fire later.
  public var includesPropertyValues = true
  /// Whether objects come as faults.
  public var returnsObjectsAsFaults = true
  /// Whether equal dictionaries are returned once.
  public var returnsDistinctResults = false
  /// Whether clean objects take the values that the store has now.
  public var shouldRefreshRefetchedObjects = false
  /// The relationships whose destinations are fetched together with the objects.
  public var relationshipKeyPathsForPrefetching: [String]?
  /// The columns of a dictionary fetch; of an object fetch, the properties that are read.
  public var propertiesToFetch: [any FetchableProperty]?
  /// What makes a group of a dictionary fetch.
  public var propertiesToGroupBy: [any FetchableProperty]?
  /// The condition on groups.
  public var havingPredicate: FetchPredicate?
  /// The stores that are searched; nil for all.
  public var affectedStoreIdentities: [StoreIdentity]?

  /// The key paths to prefetch that name no stored property.
  var refusedKeyPaths: [RefusedKeyPath] = []
  /// Whether columns were named when the entity was not (B133).
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

  /// The identifiers of the stores that are searched; nil for all.
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
  /// The condition, printed.
  public var templatePredicateFormat: String? { predicate?.predicateFormat }
  /// The criteria with the entity's name alone, so that they mean the same in a copy of the model and in a merged one.
  public var templateSnapshot: any ModelFetchRequest {
    var snapshot = self
    snapshot.entityName = entity?.name ?? entityName
    snapshot.entity = nil
    return snapshot
  }
}
