// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostStore
import Synchronization

extension ManagedObjectContext {
  /// Runs requests as this context's: within the time that it allows, and so that instruments can name it. Without
  /// either it runs them, and that is all.
  ///
  /// - Parameters:
  ///   - isImplicit: Whether a fault or a relationship asks.
  ///   - ask: Asks the coordinator or the parent.
  func asCaller<Answer, Failure: Error>(
    implicitly isImplicit: Bool = false, _ ask: () throws(Failure) -> Answer
  ) throws(Failure) -> Answer {
    guard let limit = requestLimit else { return try calling(implicitly: isImplicit, ask) }
    return try limit.limiting { () throws(Failure) in try calling(implicitly: isImplicit, ask) }
  }

  /// How long one request may take; nil for any time.
  var requestLimit: RequestTimeout? {
    let limit = switches.requestTimeout.load(ordering: .relaxed)
    guard limit != ContextSwitches.noTimeout else { return nil }
    return RequestTimeout(seconds: Double(bitPattern: limit))
  }

  private func calling<Answer, Failure: Error>(
    implicitly isImplicit: Bool, _ ask: () throws(Failure) -> Answer
  ) throws(Failure) -> Answer {
    guard let caller = requestCaller(implicitly: isImplicit) else { return try ask() }
    return try caller.calling(ask)
  }

  /// Who this context is for instruments; nil while there are none.
  func requestCaller(implicitly isImplicit: Bool = false) -> RequestCaller? {
    guard let coordinator = upstreamState.rootCoordinator, coordinator.instruments.isOn else {
      return nil
    }
    let (name, author) = settings.withLock { ($0.name, $0.transactionAuthor) }
    return RequestCaller(contextName: name, author: author, isImplicit: isImplicit)
  }
}
