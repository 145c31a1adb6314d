// SPDX-License-Identifier: Apache-2.0

public import RoostCoordinator
public import RoostObjects
public import RoostQuery

// What a context can do that Core Data's cannot. It is here, and not beside the rest: a program that uses Core Data's
// names may have methods of its own with these names.
extension ManagedObjectContext {
  /// Makes a child of a context of the main queue, to be handed to a task as a whole.
  ///
  /// The child enters the main queue for what it asks and saves, so the parent must be what its type says: a context
  /// that the main actor uses.
  ///
  /// ```swift
  /// let child = container.viewContext.newChildContext()
  /// Task.detached { try child.fetch(request) }
  /// ```
  /// - Parameter concurrencyType: How the child's work is queued.
  @MainActor public func newChildContext(
    _ concurrencyType: ConcurrencyType = .privateQueue
  ) -> sending ManagedObjectContext {
    makeChildContext(concurrencyType)
  }

  /// Returns what happens in the context from now on, as values that can be awaited in any task.
  ///
  /// The sequence ends when the context goes away, or when nobody iterates any more. Messages that are not read yet are
  /// kept.
  ///
  /// ```swift
  /// let saves = context.messages(of: ManagedObjectContext.DidSaveObjectIDsMessage.self)
  /// Task {
  ///   for await save in saves { print(save.changes.insertedObjectIDs.count) }
  /// }
  /// ```
  /// - Parameter type: What is wanted: ``WillSaveMessage``, ``ObjectsDidChangeMessage``, ``DidSaveObjectIDsMessage``
  ///   or ``DidMergeChangesMessage``.
  /// - Returns: The messages, in the order in which they are sent.
  /// - Complexity: A context that nobody asked sends nothing; otherwise a message costs O(objects that it names).
  public func messages<Message: ContextMessage>(of type: Message.Type) -> AsyncStream<Message> {
    makeMessages(of: type)
  }

  /// Returns what the stores would do for a request, without doing it: the statement that is kept for requests of its
  /// shape, where there is one.
  ///
  /// ```swift
  /// print(try context.explain(Person.where { $0.age >= 18 }))
  /// ```
  /// - Parameter request: What would be asked.
  /// - Throws: As `fetch`.
  /// - Complexity: SQL stores are asked for the plan of the statement; no record is read.
  public func explain<T>(_ request: FetchRequest<T>) throws -> RequestPlan {
    try makeExplanation(of: request)
  }

  /// Returns what a request matches as a collection that reads rows a batch at a time and keeps no more than two
  /// batches: a million objects can be gone through in the memory of two batches and of a million keys, which take four
  /// bytes each, or none where they come in the order of the records.
  ///
  /// ```swift
  /// let request = Person.fetchRequest().sorted(by: \.name)
  /// request.fetchBatchSize = 500
  /// for person in try context.fetchBatches(request) { print(person.name) }
  /// ```
  ///
  /// Which objects it has, and in what order, is decided now; their values are those of the time when a batch is read.
  /// Relationships to prefetch are prefetched for each batch.
  ///
  /// - Parameter request: What is asked; its `fetchBatchSize` is the size of a batch, 100 when it is 0.
  /// - Throws: As `fetch`, and `invalidRequest` when the entity's class is not `T`.
  /// - Complexity: One query for the IDs, one for each batch that is used.
  public func fetchBatches<T: ManagedObject>(
    _ request: FetchRequest<T>
  ) throws -> BatchedResults<T> {
    try makeBatches(of: request)
  }

  /// Whether an event can be undone, the current one included.
  public var canUndo: Bool { hasUndo }

  /// Whether an event can be done again.
  public var canRedo: Bool { hasRedo }
}
