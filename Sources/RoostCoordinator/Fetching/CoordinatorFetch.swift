// SPDX-License-Identifier: Apache-2.0

package import RoostModel
package import RoostQuery
import RoostStore

/// A resolved request with the options that the context adds to it.
package struct CoordinatorFetch: Sendable {
  /// The resolved request.
  package var fetch: ResolvedFetch
  /// The stores to search; nil for all that hold the entity (B136).
  package var affectedStores: [StoreIdentity]?
  /// Whether the residual predicate, sort and window of a store may be evaluated in memory; if not, the request is
  /// refused before it runs.
  package var allowsInMemoryEvaluation: Bool
  /// Whether the rows are kept in the row cache for later faults (B36, B37).
  package var fillsRowCache: Bool

  package init(
    fetch: ResolvedFetch, affectedStores: [StoreIdentity]? = nil,
    allowsInMemoryEvaluation: Bool = true, fillsRowCache: Bool = true
  ) {
    self.fetch = fetch
    self.affectedStores = affectedStores
    self.allowsInMemoryEvaluation = allowsInMemoryEvaluation
    self.fillsRowCache = fillsRowCache
  }
}

/// The merged answer of the stores, with sort, offset and limit applied to the whole.
package enum CoordinatorFetchResult: Sendable {
  /// Rows and the stores that they come from.
  case rows(FetchedRows)
  /// IDs.
  case ids([ObjectID])
  /// A count.
  case count(Int)
  /// The values of columns, row by row.
  case tuples([Value], columns: Int)
}

/// Rows of one or several stores, in order.
package struct FetchedRows: Sendable {
  /// The rows; instances shared with the cache and other contexts.
  package var rows: [Row]
  private var stores: [AttachedStore]
  /// For each row, the index of its store; empty when there is only one store.
  private let storeIndices: [UInt32]
  /// The IDs, where the rows are those of a context's objects.
  private var ids: [ObjectID] = []

  /// Rows of objects, which may be unsaved.
  package init(rows: [Row], ids: [ObjectID]) {
    self.rows = rows
    self.ids = ids
    stores = []
    storeIndices = []
  }

  init(rows: [Row], store: AttachedStore) {
    self.rows = rows
    stores = [store]
    storeIndices = []
  }

  init(rows: [Row], stores: [AttachedStore], storeIndices: [UInt32]) {
    self.rows = rows
    self.stores = stores
    self.storeIndices = storeIndices
  }

  /// Returns the same rows, attributed to the live stores instead of the snapshots that they were read in.
  ///
  /// - Parameter readings: A reading of each live store, begun before the snapshot was taken: its cache keeps the
  ///   rows. Empty when the cache is not to be filled.
  func handedOver(to originals: [AttachedStore], _ readings: [CacheReading]) -> FetchedRows {
    var result = self
    let places = stores.map { store in
      originals.firstIndex { $0.identity.identifier == store.identity.identifier }
    }
    for (index, place) in places.enumerated() {
      guard let place else { continue }
      result.stores[index] = originals[place]
      guard !readings.isEmpty else { continue }
      let own = rows.indices.filter { storeIndices.isEmpty || Int(storeIndices[$0]) == index }
      var kept = own.map { rows[$0] }
      originals[place].cache.merge(&kept, of: readings[place])
      for (row, kept) in zip(own, kept) { result.rows[row] = kept }
    }
    return result
  }

  /// No rows.
  static var none: FetchedRows { FetchedRows(rows: [], stores: [], storeIndices: []) }

  /// The number of rows.
  package var count: Int { rows.count }

  /// The store of all rows; nil when they come from several.
  package var singleStore: AttachedStore? { storeIndices.isEmpty ? stores.first : nil }

  /// The store of a row.
  package func store(at index: Int) -> AttachedStore {
    storeIndices.isEmpty ? stores[0] : stores[Int(storeIndices[index])]
  }

  /// The ID of a row.
  package func objectID(at index: Int) -> ObjectID {
    if !ids.isEmpty { return ids[index] }
    guard let id = store(at: index).objectID(forKey: rows[index].key) else {
      preconditionFailure("The keys of fetched rows were checked when they came from the store.")
    }
    return id
  }

  /// The IDs of some of the rows.
  package func ids(in range: Range<Int>) -> ObjectIDList {
    // The number of a temporary ID may have any low bits, so its entity code is meaningless.
    guard let first = range.first, ids.isEmpty, storeIndices.isEmpty else {
      return ObjectIDList(range.map { objectID(at: $0) })
    }
    var keys = ContiguousArray<Int64>()
    keys.reserveCapacity(range.count)
    var differences: Int64 = 0
    for index in range {
      let key = rows[index].key
      differences |= key ^ rows[first].key
      keys.append(key)
    }
    guard RecordKey.entityCode(of: differences) == 0 else {
      return ObjectIDList(range.map { objectID(at: $0) })
    }
    return ObjectIDList(keys: keys, scope: objectID(at: first).scope)
  }
}
