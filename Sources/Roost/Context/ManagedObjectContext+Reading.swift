// SPDX-License-Identifier: Apache-2.0

public import RoostModel
public import RoostObjects
import Synchronization

// How a context reads by itself, and what becomes of reads that fail: settings that Core Data does not have.
extension ManagedObjectContext {
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

  /// What could not be read since the context was made, rolled back or reset, where nothing could be thrown; nil when
  /// every read succeeded.
  ///
  /// A property whose value cannot be read reads as nil, zero or nothing. The value is not remembered: the next access
  /// asks the store again. But the program may have computed with the wrong one, so as long as there is an error every
  /// save throws it, also when a later access has succeeded. Three things take it away: `rollback()`, `reset()`,
  /// and a refresh of the objects that failed, which reads them again.
  ///
  /// ```swift
  /// let total = order.items.reduce(0) { $0 + $1.quantity }
  /// if let error = context.readError { throw error }
  /// ```
  /// Delete rules that could not be applied are an error too, of another kind: the deletions wait, and the end of the
  /// next event or the next save applies the rules and takes the error away, or throws what the store says then.
  ///
  /// The code is `readFailed`, with the objects in `objectIDs` and what the stores said in `underlyingErrors`; a single
  /// `forbiddenByPolicy` or `objectReferentialIntegrity` is the error itself. Methods that can throw, as
  /// `fetch(_:)` and `value(forKey:)` of an object, throw instead of setting it.
  /// - Complexity: O(objects that failed), no query.
  public var readError: PersistenceError? { readErrors.currentReadError }

  /// What happens when a value cannot be read where nothing can be thrown. With ``ReadErrorPolicy/deferred``, the
  /// default, the context has a ``readError`` from then on, which every save throws. It may be set from any thread.
  public var readErrorPolicy: ReadErrorPolicy {
    get { switches.trapsOnReadErrors.load(ordering: .relaxed) ? .trap : .deferred }
    set { switches.trapsOnReadErrors.store(newValue == .trap, ordering: .relaxed) }
  }

  /// Called each time a value could not be read where nothing could be thrown, on the thread that reads: the place to
  /// log it, or to tell the user. It may be set from any thread.
  ///
  /// ```swift
  /// context.onReadError = { error in log.error("\(error)") }
  /// ```
  public var onReadError: ((PersistenceError) -> Void)? {
    get { readErrorHandler }
    set { readErrorHandler = newValue }
  }
}
