// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

/// What each of several stores does in a save over all of them, by their places in a list. It is the same in all
/// processes, so that two of them never wait for each other (X1).
package struct SaveOrder {
  /// Those that prepare and finish, in this order.
  package let preparing: [Int]
  /// Those that the decider's own transaction writes, as they are in the same database (X2).
  package let joined: [Int]
  /// The one that decides.
  package let deciding: Int

  /// - Throws: `persistentStoreUnsupportedRequestType` when one of them cannot take part; what asking a store throws
  ///   that is written with others in one transaction, or that would have to prepare its part and cannot.
  package init(of stores: [AttachedStore]) throws {
    let hasSeveralServers = stores.count(where: \.isOnServer) > 1
    let places = try stores.map { try $0.savePlace(amongServers: hasSeveralServers) }
    let ordered = places.indices.sorted { places[$0] < places[$1] }
    // A store that cannot prepare can decide: the same one in all processes, since that is how its server is set up.
    let deciding = ordered.last { !places[$0].canPrepare } ?? ordered[ordered.count - 1]
    let others = ordered.filter { $0 != deciding }
    self.deciding = deciding
    preparing = others.filter { !places[$0].sharesTransaction(with: places[deciding]) }
    joined = others.filter { places[$0].sharesTransaction(with: places[deciding]) }
    // Refused before any of them has written something.
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
