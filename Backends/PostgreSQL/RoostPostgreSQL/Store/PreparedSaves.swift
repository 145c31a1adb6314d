// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Synchronization

/// The state that an open store keeps of saves over several stores.
final class PreparedSaves: Sendable {
  /// The token of the row that marks writes of another store's connections to this one.
  let companionToken = UUID()
  /// How long saves wait for parts that other processes have prepared.
  let patience = PreparedTransactionTimeout()
  private let state = Mutex(State())

  private struct State {
    var hasTables = false
    var seesTables = false
    var seesForeign = false
    var canPrepare: Bool?
    var prepared: [SaveID: Prepared] = [:]
    var question: LockQuestion?
  }

  /// A part that this process has prepared: its changes, which the server no longer has when the part is finished.
  struct Prepared: Sendable {
    let changes: StoreChangeSet
    let recomputed: [Row]
  }

  /// Whether the tables of prepared saves are known to exist.
  var hasTables: Bool {
    get { state.withLock { $0.hasTables } }
    set { state.withLock { $0.hasTables = newValue } }
  }

  /// Whether the tables were seen: another program may have created them.
  var seesTables: Bool {
    get { state.withLock { $0.hasTables || $0.seesTables } }
    set { state.withLock { $0.seesTables = newValue } }
  }

  /// Whether the table of references to other stores was seen.
  var seesForeign: Bool {
    get { state.withLock { $0.seesForeign } }
    set { state.withLock { $0.seesForeign = newValue } }
  }

  /// Whether the server supports prepared transactions; nil until it was asked.
  var canPrepare: Bool? {
    get { state.withLock { $0.canPrepare } }
    set { state.withLock { $0.canPrepare = newValue } }
  }

  /// Returns the check whether a save to this store waits for a prepared part, and creates it with `make` at first
  /// use.
  func question(_ make: () -> LockQuestion) -> LockQuestion {
    state.withLock { state in
      if let question = state.question { return question }
      let question = make()
      state.question = question
      return question
    }
  }

  func add(_ prepared: Prepared, _ save: SaveID) {
    state.withLock { $0.prepared[save] = prepared }
  }

  func take(_ save: SaveID) -> Prepared? {
    state.withLock { $0.prepared.removeValue(forKey: save) }
  }
}
