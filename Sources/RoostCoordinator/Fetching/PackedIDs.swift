// SPDX-License-Identifier: Apache-2.0

package import RoostModel
import RoostQuery
import RoostStore

/// The ordered IDs of a result: IDs of one store are kept as packed keys.
package struct PackedIDs: RandomAccessCollection, Sendable {
  private let keys: PackedKeys
  /// The store of the keys; nil when the IDs are kept unpacked.
  private let store: AttachedStore?
  private let ids: [ObjectID]

  /// Keeps IDs unpacked.
  package init(_ ids: [ObjectID]) {
    keys = PackedKeys()
    store = nil
    self.ids = ids
  }

  /// Packs the keys of a store.
  ///
  /// - Throws: `corruptStore` when the store does not hold the entity of a key.
  init(_ keys: PackedKeys, of store: AttachedStore) throws {
    var knownCode = -1
    for key in keys where RecordKey.entityCode(of: key) != knownCode {
      guard store.objectID(forKey: key) != nil else { throw store.unknownKeyError }
      knownCode = RecordKey.entityCode(of: key)
    }
    self.keys = keys
    self.store = store
    ids = []
  }

  package var startIndex: Int { 0 }

  package var endIndex: Int { store == nil ? ids.count : keys.count }

  package subscript(position: Int) -> ObjectID {
    guard let store else { return ids[position] }
    guard let id = store.objectID(forKey: keys[position]) else {
      preconditionFailure("The keys were checked when they came from the store.")
    }
    return id
  }
}

extension PersistentStoreCoordinator {
  /// Returns the IDs that match a request for keys, packed when they all belong to one store.
  ///
  /// - Throws: As ``fetch(_:in:)``.
  /// - Complexity: As ``fetch(_:in:)``; a store that delivers keys one at a time never holds all of them.
  package func fetchPackedIDs(
    _ request: CoordinatorFetch, in generation: StoreGeneration? = nil
  ) throws -> PackedIDs {
    let stores = try storesToAsk(
      for: request, of: self.stores(in: generation), in: generation)
    guard stores.count == 1, case .keys = request.fetch.result,
      FetchAcross(request, of: stores, in: self, at: generation) == nil
    else {
      guard case .ids(let ids) = try fetch(request, in: generation) else { return PackedIDs([]) }
      return PackedIDs(ids)
    }
    try checkPolicy(of: request, for: stores)
    let collector = KeyCollector()
    let answer = try StoreFetch(store: stores[0], fillsRowCache: false)
      .run(request.fetch, into: collector)
    // A store without support for collectors returns all keys at once.
    guard case .keys(let rest) = answer, !rest.isEmpty else {
      return try PackedIDs(collector.keys, of: stores[0])
    }
    return try PackedIDs(PackedKeys(rest), of: stores[0])
  }
}
