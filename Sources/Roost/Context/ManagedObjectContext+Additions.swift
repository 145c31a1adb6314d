// SPDX-License-Identifier: Apache-2.0

public import RoostCoordinator
public import RoostObjects
public import RoostQuery

// Context API beyond Core Data's. It is in this module and not in the context's own, because a program that uses Core
// Data's names may have methods with these names.
extension ManagedObjectContext {
  /// Makes a child of a context of the main queue, to be handed to a task as a whole.
  ///
  /// The child enters the main queue for its fetches and saves, so the parent must be what its type says: a context
  /// that the main actor uses.
  ///
  /// ```swift
  /// let child = container.viewContext.newChildContext()
  /// Task.detached { try child.fetch(request) }
  /// ```
  /// - Parameter concurrencyType: The queue on which the child runs its work.
  @MainActor public func newChildContext(
    _ concurrencyType: ConcurrencyType = .privateQueue
  ) -> sending ManagedObjectContext {
    makeChildContext(concurrencyType)
  }

  /// Returns the messages of the context from now on, as values that can be awaited in any task.
  ///
  /// The sequence ends when the context is deallocated, or when its iteration ends. Messages that are not read yet
  /// are buffered.
  ///
  /// ```swift
  /// let saves = context.messages(of: ManagedObjectContext.DidSaveObjectIDsMessage.self)
  /// Task {
  ///   for await save in saves { print(save.changes.insertedObjectIDs.count) }
  /// }
  /// ```
  /// - Parameter type: The message type: ``WillSaveMessage``, ``ObjectsDidChangeMessage``,
  ///   ``DidSaveObjectIDsMessage`` or ``DidMergeChangesMessage``.
  /// - Returns: The messages, in the order in which they are sent.
  /// - Complexity: A context without message sequences sends nothing; otherwise a message costs O(objects that it
  ///   names).
  public func messages<Message: ContextMessage>(of type: Message.Type) -> AsyncStream<Message> {
    makeMessages(of: type)
  }

  /// Returns the plan of a request in the stores, without running it. If a statement is cached for requests of its
  /// shape, the plan is that of the statement.
  ///
  /// ```swift
  /// print(try context.explain(Person.where { $0.age >= 18 }))
  /// ```
  /// - Parameter request: The request.
  /// - Throws: As `fetch`.
  /// - Complexity: SQL stores are asked for the plan of the statement; no record is read.
  public func explain<T>(_ request: FetchRequest<T>) throws -> RequestPlan {
    try makeExplanation(of: request)
  }

  /// Returns the matches of a request as a collection that reads rows in batches and keeps at most two of them:
  /// iterating a million objects takes the memory of two batches and a million keys, at four bytes each, or none for
  /// the keys if they come in the order of the records.
  ///
  /// ```swift
  /// let request = Person.fetchRequest().sorted(by: \.name)
  /// request.fetchBatchSize = 500
  /// for person in try context.fetchBatches(request) { print(person.name) }
  /// ```
  ///
  /// The set of objects and their order are fixed now; their values are read with each batch. Relationships to
  /// prefetch are prefetched for each batch.
  ///
  /// - Parameter request: The request; its `fetchBatchSize` is the size of a batch, 100 when it is 0.
  /// - Throws: As `fetch`, and `invalidRequest` when the entity's class is not `T`.
  /// - Complexity: One query for the IDs, one for each batch that is accessed.
  public func fetchBatches<T: ManagedObject>(
    _ request: FetchRequest<T>
  ) throws -> BatchedResults<T> {
    try makeBatches(of: request)
  }

  /// Whether an event, including the current one, can be undone.
  public var canUndo: Bool { hasUndo }

  /// Whether an event can be redone.
  public var canRedo: Bool { hasRedo }
}
