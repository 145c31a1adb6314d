// SPDX-License-Identifier: Apache-2.0

public import RoostModel
public import RoostObjects
import Synchronization

// Settings for implicit reads of a context and for failed reads, which Core Data does not have.
extension ManagedObjectContext {
  /// Whether firing a fault loads all objects that were fetched together. It may be set from any thread.
  public var batchesFaults: Bool {
    get { switches.batchesFaults.load(ordering: .relaxed) }
    set { switches.batchesFaults.store(newValue, ordering: .relaxed) }
  }

  /// Whether reading a property or a relationship may cause a round trip to a store. When false, such an access reads
  /// as nil, which counts as a failed read: ``readError`` and every save report `forbiddenByPolicy`. Prefetch what
  /// you need. It may be set from any thread.
  public var allowsImplicitRoundTrips: Bool {
    get { switches.allowsRoundTrips.load(ordering: .relaxed) }
    set { switches.allowsRoundTrips.store(newValue, ordering: .relaxed) }
  }

  /// Whether a request may be evaluated in memory where its store does not support all of it; otherwise it throws
  /// `forbiddenByPolicy`. It may be set from any thread.
  public var allowsInMemoryEvaluation: Bool {
    get { switches.allowsEvaluation.load(ordering: .relaxed) }
    set { switches.allowsEvaluation.store(newValue, ordering: .relaxed) }
  }

  /// The error of reads that could not throw and failed since the context was created, rolled back or reset; nil when
  /// every read succeeded.
  ///
  /// A property whose value cannot be read reads as nil, zero or an empty value. The value is not cached: the next
  /// access asks the store again. But the program may have computed with the wrong value, so as long as there is an
  /// error every save throws it, even if a later access has succeeded. Three things clear it: `rollback()`,
  /// `reset()`, and a refresh of the objects that failed, which reads them again.
  ///
  /// ```swift
  /// let total = order.items.reduce(0) { $0 + $1.quantity }
  /// if let error = context.readError { throw error }
  /// ```
  /// Delete rules that could not be applied cause an error of another kind: the deletions are deferred, and the end
  /// of the next event or the next save applies the rules and clears the error, or throws the store's error.
  ///
  /// The code is `readFailed`, with the objects in `objectIDs` and the stores' errors in `underlyingErrors`; a single
  /// `forbiddenByPolicy` or `objectReferentialIntegrity` is the error itself. Methods that can throw, such as
  /// `fetch(_:)` and `value(forKey:)` of an object, throw instead of setting it.
  /// - Complexity: O(objects that failed), no query.
  public var readError: PersistenceError? { readErrors.currentReadError }

  /// The handling of failed reads where nothing can be thrown. With ``ReadErrorPolicy/deferred``, the default, the
  /// context sets ``readError``, which every save throws. It may be set from any thread.
  public var readErrorPolicy: ReadErrorPolicy {
    get { switches.trapsOnReadErrors.load(ordering: .relaxed) ? .trap : .deferred }
    set { switches.trapsOnReadErrors.store(newValue == .trap, ordering: .relaxed) }
  }

  /// A callback for each failed read that could not throw, on the reading thread: use it to log the error, or to
  /// inform the user. It may be set from any thread.
  ///
  /// ```swift
  /// context.onReadError = { error in log.error("\(error)") }
  /// ```
  public var onReadError: ((PersistenceError) -> Void)? {
    get { readErrorHandler }
    set { readErrorHandler = newValue }
  }
}
