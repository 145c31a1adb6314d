// SPDX-License-Identifier: Apache-2.0

// Contexts that read from a context and save into it.
extension ManagedObjectContext {
  /// Creates a context that reads from another one and saves into it.
  ///
  /// It sees the parent's unsaved changes; its own reach the parent when it is saved, and a store when the context at
  /// the root is. The parent's part of a request runs on the parent's queue, while this context waits: a parent that
  /// waits for a child waits for ever when the child's work waits for the parent, unless the wait is a
  /// ``performAndWait(_:)`` whose own closure is the one that asks the parent.
  ///
  /// For the compiler both contexts are in one region, so they are used by one task. A child that is handed to another
  /// task is made by ``newChildContext(_:)`` or ``ContextActor/newChildContext(_:)``.
  ///
  /// ```swift
  /// let draft = ManagedObjectContext(.mainQueue, parent: container.viewContext)
  /// ```
  /// - Parameters:
  ///   - concurrencyType: How the context's work is queued.
  ///   - parent: The context to read from and to save into; it is kept alive.
  public convenience init(
    _ concurrencyType: ConcurrencyType = .privateQueue, parent: ManagedObjectContext
  ) {
    self.init(concurrencyType)
    self.parent = parent
  }

  /// The context that this one reads from and saves into; nil where it works with a coordinator. Set it before the
  /// context is used.
  public var parent: ManagedObjectContext? {
    get { parentContext }
    set {
      precondition(
        registry.count == 0 && changes.isEmpty, "The parent of a context is set before it is used.")
      setParent(newValue)
    }
  }

  /// What `newChildContext(_:)` does.
  @MainActor package func makeChildContext(
    _ concurrencyType: ConcurrencyType = .privateQueue
  ) -> sending ManagedObjectContext {
    precondition(
      self.concurrencyType.isMainQueue, "Only a context of the main queue is the main actor's.")
    return makeDetachedChild(concurrencyType)
  }

  /// Makes a child in a region of its own. That is sound where nobody touches the parent but on its queue: the child
  /// enters that queue, and nothing of the parent ever leaves it but rows and IDs.
  func makeDetachedChild(_ concurrencyType: ConcurrencyType) -> sending ManagedObjectContext {
    // Both are named here only, and the child touches the parent on the parent's queue only.
    nonisolated(unsafe) let parent = self
    nonisolated(unsafe) let child = ManagedObjectContext(concurrencyType, parent: parent)
    return child
  }
}
