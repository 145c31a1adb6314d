// SPDX-License-Identifier: Apache-2.0

public import RoostObjects

// How long a context waits for its stores.
extension ManagedObjectContext {
  /// How long one request of the context may take: a fetch, a fault that fires, a save. Nil, the default, leaves it to
  /// the limits of the stores. It may be set from any thread.
  ///
  /// ```swift
  /// context.requestTimeout = .seconds(2)
  /// do {
  ///   orders = try context.fetch(Order.where { $0.total > 100 })
  /// } catch let error as PersistenceError where error.code == .persistentStoreTimeout {
  ///   orders = []  // and say so
  /// }
  /// ```
  /// When the time is over, the request is cancelled as by its task: a statement of SQLite or PostgreSQL ends within
  /// milliseconds, waiting for locks and connections ends, and a store without that ability finishes the request that
  /// it has begun. The request throws ``PersistenceError`` with code `persistentStoreTimeout`. A save throws it when
  /// nothing was written, and succeeds where it cannot be stopped any more. A property whose fault could not fire reads
  /// as after any other failed read; see <doc:Faults>.
  ///
  /// The time of a context with a parent counts for what it asks its parent, and the parent's for what that asks.
  public final var requestTimeout: Duration? {
    get { requestSeconds.isFinite ? .seconds(requestSeconds) : nil }
    set { requestSeconds = newValue.map { max(0, $0 / .seconds(1)) } ?? .infinity }
  }

  /// When all requests of the context end, such as those that answer one request of a client. Nil, the default, for
  /// never. It may be set from any thread.
  ///
  /// ```swift
  /// try await container.withBackgroundContext { context in
  ///   context.deadline = .now + .seconds(2)
  ///   let order = try context.find(Order.self, \.number, 7)
  ///   order?.state = .shipped
  ///   try context.save()
  /// }
  /// ```
  /// A request takes no longer than the time that is left, nor than ``requestTimeout``; one that begins later throws
  /// `persistentStoreTimeout` at once, and sends nothing to a store. In all else it is like ``requestTimeout``.
  public final var deadline: ContinuousClock.Instant? {
    get { deadlineSeconds.isFinite ? RequestClock.instant(at: deadlineSeconds) : nil }
    set { deadlineSeconds = newValue.map { RequestClock.seconds(of: $0) } ?? .infinity }
  }
}
