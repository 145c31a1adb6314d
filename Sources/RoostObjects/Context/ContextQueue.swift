// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Synchronization

/// The queue of a context: first in, first out, and reentrant for those who are on it (B222, B223).
final class ContextQueue: Sendable {
  let queue: DispatchQueue
  private let isMain: Bool
  private let wasUsed = Atomic<Bool>(false)
  private static let key = DispatchSpecificKey<ObjectIdentifier>()
  private static let mainKey = DispatchSpecificKey<Bool>()

  init(_ type: ManagedObjectContext.ConcurrencyType) {
    isMain = type.isMainQueue
    queue = isMain ? .main : DispatchQueue(label: "roost.context")
    if isMain {
      queue.setSpecific(key: ContextQueue.mainKey, value: true)
    } else {
      queue.setSpecific(key: ContextQueue.key, value: ObjectIdentifier(self))
    }
  }

  /// Notes that work is given to the queue: from then on it may run beside its context's maker.
  func noteUse() {
    wasUsed.store(true, ordering: .relaxed)
  }

  /// Whether the context belongs to the queue alone (B221).
  var isWatched: Bool { isMain || wasUsed.load(ordering: .relaxed) }

  /// Whether the caller is on the queue.
  var isCurrent: Bool {
    // Off Apple's platforms the main queue may be served by other threads than the first one.
    if isMain {
      return Thread.isMainThread || DispatchQueue.getSpecific(key: ContextQueue.mainKey) == true
    }
    return DispatchQueue.getSpecific(key: ContextQueue.key) == ObjectIdentifier(self)
  }
}
