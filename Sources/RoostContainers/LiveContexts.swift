// SPDX-License-Identifier: Apache-2.0

package import RoostCoordinator
package import RoostObjects
import Synchronization

/// The contexts in which a container keeps live values up to date: one for all readers with the same scope, as long
/// as there are readers.
package final class LiveContexts: Sendable {
  private let contexts = Mutex<[Bool: WeakContext]>([:])

  private struct WeakContext {
    weak var context: LiveContext?
  }

  /// The number of live contexts.
  package var count: Int {
    contexts.withLock { $0.values.count { $0.context != nil } }
  }

  /// Returns the context that merges all saves (`remote`), or only those of the coordinator's own contexts.
  package func context(of coordinator: PersistentStoreCoordinator, remote: Bool) -> LiveContext {
    contexts.withLock { contexts in
      if let known = contexts[remote]?.context { return known }
      let made = LiveContext(coordinator, remote: remote)
      contexts[remote] = WeakContext(context: made)
      return made
    }
  }
}

/// A context that merges saves of others and is used only on its queue.
package final class LiveContext: @unchecked Sendable {
  // Sendable: the context is used only on its queue.

  private let context: ManagedObjectContext
  private let remote: Bool
  /// Accessed on the queue only.
  private var merges = false

  fileprivate init(_ coordinator: PersistentStoreCoordinator, remote: Bool) {
    context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
    self.remote = remote
  }

  /// Runs work on the context's queue, asynchronously.
  package func enqueue(_ body: @escaping @Sendable (ManagedObjectContext) -> Void) {
    context.perform { [self] in
      if !merges {
        merges = true
        // The context reads the newest state, so merging is not refused.
        try? context.mergeForLiveResults(remote: remote)
        FailedReads(in: context).readAgain()
      }
      body(context)
    }
  }
}
