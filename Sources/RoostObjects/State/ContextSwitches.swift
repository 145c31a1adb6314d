// SPDX-License-Identifier: Apache-2.0

public import Foundation
package import Synchronization

/// Settings of a context that any thread may set and that are read very often (B356): each one is an atomic, and
/// reading it costs as little as reading a plain property.
package struct ContextSwitches: ~Copyable, Sendable {
  let retains = Atomic<Bool>(false)
  /// The bits of a `Double`.
  let staleness = Atomic<UInt64>((-1.0).bitPattern)
  /// The bits of a `Double`: the seconds that a request may take, infinity for any time.
  let requestTimeout = Atomic<UInt64>(Self.noTimeout)
  /// The bits of a `Double`: the time at which requests end, in seconds of ``RequestClock``; infinity for none.
  let deadline = Atomic<UInt64>(Self.noTimeout)
  let propagatesDeletes = Atomic<Bool>(true)
  let deletesInaccessibleFaults = Atomic<Bool>(true)
  package let batchesFaults = Atomic<Bool>(true)
  package let allowsRoundTrips = Atomic<Bool>(true)
  package let allowsEvaluation = Atomic<Bool>(true)
  let hasCommitted = Atomic<Bool>(false)
  package let trapsOnReadErrors = Atomic<Bool>(false)

  static let noTimeout = Double.infinity.bitPattern
}

extension ManagedObjectContext {
  /// Whether the context retains its unchanged objects, too. It may be set from any thread; a thread outside the
  /// context's queue waits for the queue.
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

  /// The seconds that one request of the context may take; infinity for any time.
  package var requestSeconds: Double {
    get { Double(bitPattern: switches.requestTimeout.load(ordering: .relaxed)) }
    set { switches.requestTimeout.store(newValue.bitPattern, ordering: .relaxed) }
  }

  /// The time at which all requests of the context end, in seconds of ``RequestClock``; infinity for none.
  package var deadlineSeconds: Double {
    get { Double(bitPattern: switches.deadline.load(ordering: .relaxed)) }
    set { switches.deadline.store(newValue.bitPattern, ordering: .relaxed) }
  }

  /// Whether delete rules are applied at the end of an event, as by ``processPendingChanges()``; otherwise they wait
  /// for the save. It may be set from any thread.
  public var propagatesDeletesAtEndOfEvent: Bool {
    get { switches.propagatesDeletes.load(ordering: .relaxed) }
    set { switches.propagatesDeletes.store(newValue, ordering: .relaxed) }
  }

  /// Whether a fault whose record is gone becomes a deleted object whose properties are nil. Otherwise the object
  /// cannot be read: `readError` and every save report `objectReferentialIntegrity`. It may be set from any thread.
  public var shouldDeleteInaccessibleFaults: Bool {
    get { switches.deletesInaccessibleFaults.load(ordering: .relaxed) }
    set { switches.deletesInaccessibleFaults.store(newValue, ordering: .relaxed) }
  }

  /// Whether the context has saved, or it or a child has executed a batch request, which is committed at once: such
  /// work must not be repeated.
  package var hasCommitted: Bool {
    get { switches.hasCommitted.load(ordering: .relaxed) }
    set { switches.hasCommitted.store(newValue, ordering: .relaxed) }
  }

  var batchesFaults: Bool { switches.batchesFaults.load(ordering: .relaxed) }

  var allowsImplicitRoundTrips: Bool {
    get { switches.allowsRoundTrips.load(ordering: .relaxed) }
    set { switches.allowsRoundTrips.store(newValue, ordering: .relaxed) }
  }

  var allowsInMemoryEvaluation: Bool { switches.allowsEvaluation.load(ordering: .relaxed) }

  var trapsOnReadErrors: Bool { switches.trapsOnReadErrors.load(ordering: .relaxed) }

  /// Runs a setter's work on the context's queue: at once when already called there.
  ///
  /// For a private queue the caller waits, because it may be the only user of the context and continue to use it. For
  /// the main queue the work is enqueued without waiting.
  func onOwnQueue(_ work: @escaping (ManagedObjectContext) -> Void) {
    if queue.isCurrent { return work(self) }
    guard queue.isMain else { return queue.wait { work(self) } }
    // Only the main queue touches the context.
    nonisolated(unsafe) let (context, work) = (self, work)
    queue.enqueue { work(context) }
  }
}
