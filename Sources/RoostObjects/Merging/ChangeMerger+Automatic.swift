// SPDX-License-Identifier: Apache-2.0

import Dispatch
import RoostCoordinator
import RoostModel

extension ChangeMerger {
  /// Records that the context is used on its queue, where other threads may enter it: from now on it merges there.
  func noteUseOfQueue() {
    if context.queue.noteUse(of: context), context.inbox.hears { wakeOnQueue() }
  }

  func wakeOnQueue() {
    let listener = QueueListener(context)
    context.inbox.setWake { listener.wake() }
  }

  /// Merges the saves received in the inbox.
  func mergeHeardSaves() {
    guard !context.inbox.isEmpty, !context.merging.isMerging else { return }
    context.upstream.learnPermanentIDs()
    let saves = context.inbox.takeSaves()
    guard !saves.isEmpty else { return }
    context.merging.isMerging = true
    defer { context.merging.isMerging = false }
    var all = MergedSave()
    for save in saves {
      if all.isFollowed(byRebirthIn: save) {
        merge(all)
        all = MergedSave()
      }
      all.add(save)
      for store in save.outdatedStores { all.doubtful += registeredIDs(of: store) }
    }
    merge(all)
  }
}

extension ChangeMerger {
  /// The registered objects of a store, whatever happened to their records.
  private func registeredIDs(of store: StoreIdentity) -> [ObjectID] {
    context.registry.all.filter { $0.identity.storeIdentity === store }.map(\.identity)
  }
}

/// Merges into a context on its queue.
private final class QueueListener: @unchecked Sendable {
  // Sendable: the context is touched on its queue only, and the reference to it is weak.

  private weak var context: ManagedObjectContext?
  private let queue: ContextQueue

  init(_ context: ManagedObjectContext) {
    self.context = context
    queue = context.queue
  }

  func wake() {
    queue.enqueue { [self] in
      guard let context, queue.mayMerge else { return }
      // The requests of a child enter its parent, which may be used without a queue.
      guard !queue.isUnused || context.parentContext == nil else { return }
      context.merger.mergeHeardSaves()
      context.processPendingChanges()
    }
  }
}
