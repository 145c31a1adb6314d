// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostStore
import Synchronization

extension ManagedObjectContext {
  /// Runs requests of this context: within its time limit, and attributed to it for instruments. Without a limit and
  /// instruments it only runs them.
  ///
  /// - Parameters:
  ///   - isImplicit: Whether a fault or a relationship causes the request.
  ///   - ask: Sends the request to the coordinator or the parent.
  func asCaller<Answer, Failure: Error>(
    implicitly isImplicit: Bool = false, _ ask: () throws(Failure) -> Answer
  ) throws(Failure) -> Answer {
    let caller = requestCaller(implicitly: isImplicit)
    func call() throws(Failure) -> Answer {
      guard let caller else { return try ask() }
      return try caller.calling(ask)
    }
    guard let limit = requestLimit else { return try call() }
    return try limit.limiting(call)
  }

  /// The time limit of a request that begins now; nil for none.
  var requestLimit: RequestTimeout? {
    let limit = switches.requestTimeout.load(ordering: .relaxed)
    let deadline = switches.deadline.load(ordering: .relaxed)
    guard limit != ContextSwitches.noTimeout || deadline != ContextSwitches.noTimeout else {
      return nil
    }
    var seconds = Double(bitPattern: limit)
    if deadline != ContextSwitches.noTimeout {
      seconds = min(seconds, max(0, Double(bitPattern: deadline) - RequestClock.now))
    }
    return RequestTimeout(seconds: seconds)
  }

  /// Returns the caller that instruments see for this context; nil while there are no instruments.
  func requestCaller(implicitly isImplicit: Bool = false) -> RequestCaller? {
    guard let coordinator = upstreamState.rootCoordinator, coordinator.instruments.isOn else {
      return nil
    }
    return settings.withLock { settings in
      RequestCaller(
        contextName: settings.name, author: settings.transactionAuthor,
        callSite: settings.callSite, isImplicit: isImplicit)
    }
  }
}
