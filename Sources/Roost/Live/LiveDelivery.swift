// SPDX-License-Identifier: Apache-2.0

import RoostContainers
import RoostModel
import RoostObjects

/// One update of live results on its way to a reader: a state, and the change since the update before.
struct LiveDelivery<State: Sendable>: Sendable {
  var state: State
  var change: ListChange
}

/// The results of a reading that hands over values.
struct LiveState<Value: Sendable>: Sendable {
  var elements: [Value] = []
  var ids: [ObjectID] = []
  /// Whether the stores could not be read after a later change.
  var isStale = false
}

extension LiveMailbox {
  /// Makes a mailbox for updates of live results.
  convenience init<State>(_ buffering: LiveOptions.Buffering) where Update == LiveDelivery<State> {
    let capacity: Int? =
      switch buffering {
      case .newest: nil
      case .everyUpdate(let maximum): maximum
      }
    self.init(capacity: capacity) { last, next in
      last.change.append(next.change)
      last.state = next.state
    }
  }

  /// Makes a mailbox for values, and begins to fill it. With options that are refused it only holds the error.
  ///
  /// - Parameter begin: Begins to follow the stores; the returned subscription lives as long as the iteration.
  static func filled<State>(
    _ options: LiveOptions, by begin: (LiveMailbox) -> LiveSubscription
  ) -> (mailbox: LiveMailbox, subscription: LiveSubscription?)
  where Update == LiveDelivery<State> {
    let mailbox = LiveMailbox(options.buffering)
    do throws(PersistenceError) {
      try options.check(forValues: true)
    } catch {
      mailbox.finish(throwing: error)
      return (mailbox, nil)
    }
    return (mailbox, begin(mailbox))
  }
}

extension LiveOptions {
  /// Checks that the options have a meaning.
  ///
  /// - Parameter forValues: Whether values are read, and not objects of a context.
  /// - Throws: `invalidRequest`.
  func check(forValues: Bool) throws(PersistenceError) {
    if case .everyUpdate(let maximum) = buffering, maximum < 1 {
      throw PersistenceError(
        .invalidRequest,
        "The buffering everyUpdate(maximum: \(maximum)) leaves no room for an update: its maximum "
          + "is at least 1.")
    }
    if forValues, let sectionKeyPath {
      throw PersistenceError(
        .invalidRequest,
        "Values of live results have no sections: sectionKeyPath (\(sectionKeyPath)) is for "
          + "context.live.")
    }
  }
}
