// SPDX-License-Identifier: Apache-2.0

public import RoostObjects

// How a context can be watched from outside: what it costs, which of its objects change, where it is used.
extension ManagedObjectContext {
  /// What the context has cost since it was made or since ``resetCounters()``.
  public var counters: ContextCounters { statistics }

  /// Sets all counters to 0.
  public func resetCounters() {
    statistics = ContextCounters()
  }

  /// Whether the context's objects can be observed with Swift's Observation; false unless set, since it makes each read
  /// of a property cost about as much as a dictionary look-up.
  ///
  /// ```swift
  /// container.viewContext.allowsObservation = true
  /// ```
  /// Nothing is kept for an object before a property of it was read.
  public var allowsObservation: Bool {
    get { isObservable }
    set { isObservable = newValue }
  }

  /// Whether contexts that are made from now on watch how they are used: a main-queue context only on the main thread,
  /// and one with a queue of its own only there, once work was given to that queue. A violation ends the program with a
  /// sentence.
  ///
  /// It is off by default. The environment variable `ROOST_CONCURRENCY_DEBUG=1`, or Core Data's launch argument
  /// `-com.apple.CoreData.ConcurrencyDebug 1`, turns it on from the start.
  public static var detectsQueueViolations: Bool {
    get { watchesQueues }
    set { watchesQueues = newValue }
  }
}
