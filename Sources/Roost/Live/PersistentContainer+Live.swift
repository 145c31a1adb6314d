// SPDX-License-Identifier: Apache-2.0

public import RoostContainers
import RoostModel
public import RoostObjects
public import RoostQuery

// Live results for any task: they are followed on a queue of their own, and handed over as values.
extension PersistentContainer {
  /// Returns what a closure makes of the objects that match a request, now and after each change, as values for any
  /// task.
  ///
  /// ```swift
  /// let request = Issue.where { $0.isOpen == true }.sorted(by: \.number)
  /// for try await issues in container.live(request, { Row(number: $0.number, title: $0.title) }) {
  ///   await screen.show(issues.elements)
  /// }
  /// ```
  /// Values are made anew for objects that came or were changed. What the closure reads of related objects is noticed
  /// where the request prefetches these relationships: `request.prefetching(\.owner)`.
  ///
  /// All readings of a container are followed in one context, and those that ask for the same share the work. A reader
  /// that is slower than the changes finds them composed into one, or as ``LiveOptions/buffering`` says. While a store
  /// cannot be read, the reading waits and the fetch is tried again; a reader that has a snapshot already gets one that
  /// says so (``LiveSnapshot/isStale``). A value is not handed over when something that the closure has read, such as
  /// a property of a related object, could not be read: the objects are read, and the values made, again.
  ///
  /// - Parameters:
  ///   - request: What is asked.
  ///   - options: How the results follow; the scope `thisContext` means as much as `thisCoordinator`. Options that mean
  ///     nothing for values are refused when the values are read: a key path of sections.
  ///   - project: Makes a value of an object, on the queue of the context.
  /// - Complexity: As `ManagedObjectContext.live`; O(*n*) for each snapshot of *n* results.
  public final func live<T: ManagedObject, Value: Sendable>(
    _ request: FetchRequest<T>, options: LiveOptions = LiveOptions(),
    _ project: @escaping @Sendable (T) throws -> Value
  ) -> LiveSnapshots<Value> {
    let request = request.copy()
    return LiveSnapshots(options: options) { [self] mailbox in
      subscribe(options) { context, holder in
        let projection = LiveProjection(mailbox, project, in: context)
        do {
          let query = try context.follow(
            request, isAlwaysFetched: options.consistency == .snapshot, waits: true,
            for: projection)
          holder.hold(projection)
          projection.begin(with: query)
        } catch {
          mailbox.finish(throwing: .wrapping(error, .persistentStoreOperation))
        }
      }
    }
  }

  /// Returns the IDs of the objects that match a request, now and after each change.
  ///
  /// ```swift
  /// for try await issues in container.liveIDs(Issue.where { $0.isOpen == true }) { print(issues.ids.count) }
  /// ```
  /// - Parameters:
  ///   - request: What is asked.
  ///   - options: How the results follow.
  /// - Complexity: As ``live(_:options:_:)``.
  public final func liveIDs<T: ManagedObject>(
    _ request: FetchRequest<T>, options: LiveOptions = LiveOptions()
  ) -> LiveSnapshots<ObjectID> {
    live(request, options: options) { $0.objectID }
  }

  /// Returns how many objects match a request, now and whenever that has changed.
  ///
  /// ```swift
  /// for try await count in container.liveCount(Issue.where { $0.isOpen == true }) { badge.number = count }
  /// ```
  /// - Parameters:
  ///   - request: What is asked.
  ///   - options: How the value follows.
  /// - Complexity: One request for the number. With the first change that can concern it the IDs of up to 4,096 objects
  ///   are fetched; from then on changed records are judged one by one, without a request for those that contexts of
  ///   this coordinator save. For more objects, with a limit or an offset, and where the condition follows
  ///   relationships, each such change is one request for the number, and so it is with the consistency
  ///   ``LiveOptions/Consistency-swift.enum/snapshot``. ``LivePlan/countsByDifferences`` tells which.
  public final func liveCount<T: ManagedObject>(
    _ request: FetchRequest<T>, options: LiveOptions = LiveOptions()
  ) -> LiveValues<Int> {
    let request = request.copy()
    return LiveValues(options: options) { [self] mailbox in
      subscribe(options) { context, holder in
        let counting = LiveCounting(mailbox)
        holder.hold(counting)
        counting.begin(
          request, isAlwaysFetched: options.consistency == .snapshot, in: context)
      }
    }
  }

  /// Returns what a closure computes, now and whenever that has changed: a sum, a group, a report.
  ///
  /// With the consistency ``LiveOptions/Consistency-swift.enum/snapshot`` all that the closure reads in the context is
  /// of one snapshot of each store that has snapshots; otherwise a save between two of its requests is seen by the
  /// second one only, and the value is computed anew afterwards. A value is not handed over when something could not be
  /// read: it is computed again.
  ///
  /// ```swift
  /// let totals = container.liveValue(of: Order.self) { context in
  ///   try context.select(Order.self) { $0.total.sum }.fetch().first ?? 0
  /// }
  /// for try await total in totals { print(total) }
  /// ```
  /// - Parameters:
  ///   - classes: The classes whose objects the value depends on. It is computed anew when any of them was changed.
  ///   - options: How the value follows.
  ///   - compute: Computes the value, on the queue of a context.
  /// - Complexity: What the closure does, after each change of the classes; with the consistency `snapshot`, in a new
  ///   context each time.
  public final func liveValue<Value: Sendable & Equatable>(
    of classes: ManagedObject.Type..., options: LiveOptions = LiveOptions(),
    _ compute: @escaping @Sendable (ManagedObjectContext) throws -> Value
  ) -> LiveValues<Value> {
    LiveValues(options: options) { [self] mailbox in
      subscribe(options) { context, holder in
        let computation = LiveComputation(mailbox) { [unowned context] in
          try context.computing(inSnapshot: options.consistency == .snapshot, compute)
        }
        holder.hold(computation)
        computation.begin { context.follow(valueOf: classes, $0) }
      }
    }
  }

  /// Begins a reading on the queue of a context that follows the stores.
  private func subscribe<Held>(
    _ options: LiveOptions,
    _ body: @escaping @Sendable (ManagedObjectContext, LiveHolder<Held>) -> Void
  ) -> LiveSubscription {
    let context = liveContexts.context(
      of: persistentStoreCoordinator, remote: options.scope == .everything)
    let holder = LiveHolder<Held>()
    context.enqueue { body($0, holder) }
    return LiveSubscription {
      context.enqueue { context in
        holder.release()
        context.forgetUnheardQueries()
      }
    }
  }
}

extension ManagedObjectContext {
  /// Computes a value from what the stores have.
  ///
  /// - Parameter inSnapshot: Whether to read one snapshot, in a context of its own, instead of this context.
  /// - Throws: What the closure throws, and the error of a read in it that failed where nothing could be thrown.
  fileprivate func computing<Value>(
    inSnapshot: Bool, _ compute: (ManagedObjectContext) throws -> Value
  ) throws -> Value {
    guard inSnapshot else { return try FailedReads(in: self).throwing { try compute(self) } }
    // A new one for each value: between two values no snapshot is kept, which a store would have to preserve.
    let pinned = ManagedObjectContext(.privateQueue, coordinator: persistentStoreCoordinator)
    return try pinned.performAndWait {
      try pinned.setQueryGenerationFrom(.current)
      return try FailedReads(in: pinned).throwing { try compute(pinned) }
    }
  }
}
