// SPDX-License-Identifier: Apache-2.0

public import RoostObjects

// Monitoring of a context: its cost, changes of its objects, and queue violations.
extension ManagedObjectContext {
  /// The counters of the context since it was created or since ``resetCounters()``.
  public var counters: ContextCounters { statistics }

  /// Sets all counters to 0.
  public func resetCounters() {
    statistics = ContextCounters()
  }

  /// Whether the context's objects can be observed with Swift's Observation; false by default, because it makes each
  /// read of a property cost about as much as a dictionary look-up.
  ///
  /// ```swift
  /// container.viewContext.allowsObservation = true
  /// ```
  /// Nothing is stored for an object before one of its properties is read.
  public var allowsObservation: Bool {
    get { isObservable }
    set { isObservable = newValue }
  }

  /// Whether contexts created from now on check where they are used: a main-queue context only on the main thread,
  /// and one with a private queue only on that queue, once work was submitted to it. A violation stops the program
  /// with a message.
  ///
  /// It is off by default. The environment variable `ROOST_CONCURRENCY_DEBUG=1`, or Core Data's launch argument
  /// `-com.apple.CoreData.ConcurrencyDebug 1`, turns it on from the start.
  public static var detectsQueueViolations: Bool {
    get { watchesQueues }
    set { watchesQueues = newValue }
  }
}
