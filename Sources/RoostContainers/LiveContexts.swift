// SPDX-License-Identifier: Apache-2.0

package import RoostCoordinator
package import RoostObjects
import Synchronization

/// The contexts in which a container keeps live values up to date: one for all readers that want to see the same, as
/// long as there are readers.
package final class LiveContexts: Sendable {
  private let contexts = Mutex<[Bool: WeakContext]>([:])

  private struct WeakContext {
    weak var context: LiveContext?
  }

  /// How many of them there are.
  package var count: Int {
    contexts.withLock { $0.values.count { $0.context != nil } }
  }

  /// The context that sees everything, or what the coordinator's own contexts save.
  package func context(of coordinator: PersistentStoreCoordinator, remote: Bool) -> LiveContext {
    contexts.withLock { contexts in
      if let known = contexts[remote]?.context { return known }
      let made = LiveContext(coordinator, remote: remote)
      contexts[remote] = WeakContext(context: made)
      return made
    }
  }
}

/// A context that merges what others save, on its queue, and is used there only.
package final class LiveContext: @unchecked Sendable {
  // Sendable: the context is used on its queue alone.

  private let context: ManagedObjectContext
  private let remote: Bool
  /// Used on the queue only.
  private var merges = false

  fileprivate init(_ coordinator: PersistentStoreCoordinator, remote: Bool) {
    context = ManagedObjectContext(.privateQueue, coordinator: coordinator)
    self.remote = remote
  }

  /// Runs work on the context's queue, later.
  package func enqueue(_ body: @escaping @Sendable (ManagedObjectContext) -> Void) {
    context.perform { [self] in
      if !merges {
        merges = true
        // It reads the newest state, so that nothing refuses to merge.
        try? context.mergeForLiveResults(remote: remote)
      }
      body(context)
    }
  }
}
