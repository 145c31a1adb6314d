// SPDX-License-Identifier: Apache-2.0

public import RoostCoordinator

/// An actor that owns a context, for work that several tasks share.
///
/// ```swift
/// let actor = ContextActor(coordinator: container.persistentStoreCoordinator)
/// let names = try await actor.perform { context in
///   try context.fetch(Person.fetchRequest()).map(\.name)
/// }
/// ```
public actor ContextActor {
  private let context: ManagedObjectContext

  /// Makes an actor with a context of its own.
  ///
  /// - Parameter coordinator: The coordinator that the context asks and saves to.
  public init(coordinator: PersistentStoreCoordinator) {
    context = ManagedObjectContext(coordinator: coordinator)
  }

  /// Makes an actor that owns the context that a closure makes.
  ///
  /// - Parameter make: Makes the context; nobody else keeps it.
  public init(_ make: @Sendable () -> sending ManagedObjectContext) {
    context = make()
  }

  /// Runs work on the context; one at a time, in the order in which the actor takes its callers. Each closure is an
  /// event: pending changes are processed at its end (B97).
  ///
  /// - Parameter body: The work. What it returns must not be an object of the context: return IDs or values.
  /// - Returns: What the closure returns.
  /// - Throws: What the closure throws.
  public func perform<T>(
    _ body: @Sendable (ManagedObjectContext) throws -> sending T
  ) rethrows -> sending T {
    defer { context.processPendingChanges() }
    return try body(context)
  }
}
