// SPDX-License-Identifier: Apache-2.0

// Child contexts, which read from a parent context and save into it.
extension ManagedObjectContext {
  /// Creates a child context, which reads from a parent and saves into it.
  ///
  /// It sees the parent's unsaved changes; its own reach the parent when it is saved, and a store when the root
  /// context is saved. The parent's part of a request runs on the parent's queue, while this context waits. A parent
  /// that waits for a child whose work waits for the parent is a deadlock, unless the parent waits in
  /// ``performAndWait(_:)`` and its closure itself calls the parent.
  ///
  /// For the compiler both contexts are in one region, so one task uses both. To send a child to another task, create
  /// it by ``newChildContext(_:)`` or ``ContextActor/newChildContext(_:)``.
  ///
  /// ```swift
  /// let draft = ManagedObjectContext(.mainQueue, parent: container.viewContext)
  /// ```
  /// - Parameters:
  ///   - concurrencyType: The kind of the context's queue.
  ///   - parent: The context to read from and to save into; it is retained.
  public convenience init(
    _ concurrencyType: ConcurrencyType = .privateQueue, parent: ManagedObjectContext
  ) {
    self.init(concurrencyType)
    self.parent = parent
  }

  /// The context that this one reads from and saves into; nil for a context with a coordinator. Set it before the
  /// context is used.
  public var parent: ManagedObjectContext? {
    get { parentContext }
    set {
      precondition(
        registry.count == 0 && changes.isEmpty, "The parent of a context is set before it is used.")
      setParent(newValue)
    }
  }

  /// Implements `newChildContext(_:)`.
  @MainActor package func makeChildContext(
    _ concurrencyType: ConcurrencyType = .privateQueue
  ) -> sending ManagedObjectContext {
    precondition(
      self.concurrencyType.isMainQueue, "Only a context of the main queue is the main actor's.")
    return makeDetachedChild(concurrencyType)
  }

  /// Creates a child in a region of its own. That is sound if the parent is used on its queue only: the child enters
  /// that queue, and only rows and IDs of the parent leave it.
  func makeDetachedChild(_ concurrencyType: ConcurrencyType) -> sending ManagedObjectContext {
    // Both are named only here, and the child uses the parent on the parent's queue only.
    nonisolated(unsafe) let parent = self
    nonisolated(unsafe) let child = ManagedObjectContext(concurrencyType, parent: parent)
    return child
  }
}
