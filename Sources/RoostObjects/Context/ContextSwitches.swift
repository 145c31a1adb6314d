// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostModel
import Synchronization

/// What a context is told from any thread and looks at all the time (B356): each switch is an atomic of its own, and
/// looking at it costs what a plain property costs.
struct ContextSwitches: ~Copyable, Sendable {
  let retains = Atomic<Bool>(false)
  /// The bits of a `Double`.
  let staleness = Atomic<UInt64>((-1.0).bitPattern)
  let propagatesDeletes = Atomic<Bool>(true)
  let deletesInaccessibleFaults = Atomic<Bool>(true)
  let batchesFaults = Atomic<Bool>(true)
  let allowsRoundTrips = Atomic<Bool>(true)
  let allowsEvaluation = Atomic<Bool>(true)
  let trapsOnReadErrors = Atomic<Bool>(false)
}

extension ManagedObjectContext {
  /// Whether the context keeps its clean objects alive, too. It may be set from any thread; another thread than that of
  /// the context's queue waits for the queue.
  ///
  /// - Complexity: O(registered objects) to set.
  public var retainsRegisteredObjects: Bool {
    get { switches.retains.load(ordering: .relaxed) }
    set {
      switches.retains.store(newValue, ordering: .relaxed)
      onOwnQueue { $0.updateRetention() }
    }
  }

  /// How old a cached row may be when a fault is fulfilled with it, in seconds: negative for any age, 0 to ask the
  /// store each time. It may be set from any thread.
  public var stalenessInterval: TimeInterval {
    get { Double(bitPattern: switches.staleness.load(ordering: .relaxed)) }
    set { switches.staleness.store(newValue.bitPattern, ordering: .relaxed) }
  }

  /// Whether delete rules are applied at the end of an event, as by ``processPendingChanges()``; otherwise they wait
  /// for the save. It may be set from any thread.
  public var propagatesDeletesAtEndOfEvent: Bool {
    get { switches.propagatesDeletes.load(ordering: .relaxed) }
    set { switches.propagatesDeletes.store(newValue, ordering: .relaxed) }
  }

  /// Whether a fault whose record is gone becomes a deleted object whose properties are nil. Otherwise it is an object
  /// that cannot be read: ``readError`` and every save say `objectReferentialIntegrity`. It may be set from any thread.
  public var shouldDeleteInaccessibleFaults: Bool {
    get { switches.deletesInaccessibleFaults.load(ordering: .relaxed) }
    set { switches.deletesInaccessibleFaults.store(newValue, ordering: .relaxed) }
  }

  /// Whether faults that fire by themselves are fulfilled for all objects that were fetched together. It may be set
  /// from any thread.
  public var batchesFaults: Bool {
    get { switches.batchesFaults.load(ordering: .relaxed) }
    set { switches.batchesFaults.store(newValue, ordering: .relaxed) }
  }

  /// Whether reading a property or a relationship may ask a store. When false, such an access reads as nil, which is a
  /// failed read like any other: ``readError`` and every save say `forbiddenByPolicy`. Prefetch what you need. It may
  /// be set from any thread.
  public var allowsImplicitRoundTrips: Bool {
    get { switches.allowsRoundTrips.load(ordering: .relaxed) }
    set { switches.allowsRoundTrips.store(newValue, ordering: .relaxed) }
  }

  /// Whether a request may be evaluated in memory where its store cannot do it all; otherwise it throws
  /// `forbiddenByPolicy`. It may be set from any thread.
  public var allowsInMemoryEvaluation: Bool {
    get { switches.allowsEvaluation.load(ordering: .relaxed) }
    set { switches.allowsEvaluation.store(newValue, ordering: .relaxed) }
  }

  /// What happens when a value cannot be read where nothing can be thrown. With ``ReadErrorPolicy/deferred``, the
  /// default, the context has a ``readError`` from then on, which every save throws. It may be set from any thread.
  public var readErrorPolicy: ReadErrorPolicy {
    get { switches.trapsOnReadErrors.load(ordering: .relaxed) ? .trap : .deferred }
    set { switches.trapsOnReadErrors.store(newValue == .trap, ordering: .relaxed) }
  }

  /// Does what a setter has to do with the objects: at once for whoever is on the queue, else on the queue.
  ///
  /// The caller waits for a queue of the context's own: it may be the only one who uses the context, and goes on to use
  /// it. Nobody waits for the main queue.
  func onOwnQueue(_ work: @escaping (ManagedObjectContext) -> Void) {
    if queue.isCurrent { return work(self) }
    guard queue.isMain else { return queue.wait { work(self) } }
    // Only the main queue touches the context.
    nonisolated(unsafe) let (context, work) = (self, work)
    queue.enqueue { work(context) }
  }
}
