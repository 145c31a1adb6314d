// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// The role of each store in a save over several stores, by index. It is the same in all processes, which prevents
/// deadlocks between them (X1).
package struct SaveOrder {
  /// The stores that prepare and finish, in this order.
  package let preparing: [Int]
  /// The stores that the decider's transaction writes, because they are in the same database (X2).
  package let joined: [Int]
  /// The store that decides.
  package let deciding: Int

  /// - Throws: `persistentStoreUnsupportedRequestType` when one of the stores cannot take part; errors of a store
  ///   that is asked for its transaction domain, or that would have to prepare its part and cannot.
  package init(of stores: [AttachedStore]) throws {
    let hasSeveralServers = stores.count(where: \.isOnServer) > 1
    let places = try stores.map { try $0.savePlace(amongServers: hasSeveralServers) }
    let ordered = places.indices.sorted { places[$0] < places[$1] }
    // A store that cannot prepare can still decide. It is the same one in all processes, since this depends on the
    // configuration of its server.
    let deciding = ordered.last { !places[$0].canPrepare } ?? ordered[ordered.count - 1]
    let others = ordered.filter { $0 != deciding }
    self.deciding = deciding
    preparing = others.filter { !places[$0].sharesTransaction(with: places[deciding]) }
    joined = others.filter { places[$0].sharesTransaction(with: places[deciding]) }
    // Checked before any store has written something.
    for number in preparing where !places[number].canPrepare {
      let store = stores[number]
      do {
        try store.requesting { try AtomicSave.preparation($0).requirePreparing() }
      } catch var error as PersistenceError {
        error.store = error.store ?? store.displayName
        throw error
      }
    }
  }
}
