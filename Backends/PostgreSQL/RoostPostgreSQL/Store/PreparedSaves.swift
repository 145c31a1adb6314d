// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import RoostStore
import Synchronization

/// What a store remembers of saves over several stores as long as it is open.
final class PreparedSaves: Sendable {
  /// Whose row tells that connections of another store have written to this one.
  let companionToken = UUID()
  /// For how long parts of others are left alone that stand in the way.
  let patience = PartPatience()
  private let state = Mutex(State())

  private struct State {
    var hasTables = false
    var seesTables = false
    var canPrepare: Bool?
    var prepared: [SaveID: Prepared] = [:]
    var question: LockQuestion?
  }

  /// A part that this process has prepared: what the server no longer says when the part is finished.
  struct Prepared: Sendable {
    let changes: StoreChangeSet
    let recomputed: [Row]
  }

  /// Whether the tables of prepared saves are known to be there.
  var hasTables: Bool {
    get { state.withLock { $0.hasTables } }
    set { state.withLock { $0.hasTables = newValue } }
  }

  /// Whether the tables were seen: others may have made them.
  var seesTables: Bool {
    get { state.withLock { $0.hasTables || $0.seesTables } }
    set { state.withLock { $0.seesTables = newValue } }
  }

  /// Whether the server keeps prepared transactions; nil until it was asked for.
  var canPrepare: Bool? {
    get { state.withLock { $0.canPrepare } }
    set { state.withLock { $0.canPrepare = newValue } }
  }

  /// What finds out whether a save to this store waits for a prepared part.
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
