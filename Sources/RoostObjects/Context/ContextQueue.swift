// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation

/// The queue of a context: first in, first out, and reentrant for those who are on it (B222, B223).
final class ContextQueue: Sendable {
  let queue: DispatchQueue
  private let isMain: Bool
  private static let key = DispatchSpecificKey<ObjectIdentifier>()

  init(_ type: ManagedObjectContext.ConcurrencyType) {
    isMain = type.isMainQueue
    queue = isMain ? .main : DispatchQueue(label: "roost.context")
    if !isMain { queue.setSpecific(key: ContextQueue.key, value: ObjectIdentifier(self)) }
  }

  /// Whether the caller is on the queue.
  var isCurrent: Bool {
    if isMain { return Thread.isMainThread }
    return DispatchQueue.getSpecific(key: ContextQueue.key) == ObjectIdentifier(self)
  }
}
