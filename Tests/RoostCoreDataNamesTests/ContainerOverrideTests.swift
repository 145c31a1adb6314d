// SPDX-License-Identifier: Apache-2.0

import RoostCoreDataNames
import Testing

/// A container as in libraries: a subclass that overrides the creation of contexts.
private class OwnContainer: NSPersistentContainer, @unchecked Sendable {
  // Sendable: it has no state of its own.
  override func newBackgroundContext() -> NSManagedObjectContext {
    let context = super.newBackgroundContext()
    context.name = "own"
    context.mergePolicy = NSMergeByPropertyObjectTrumpMergePolicy
    return context
  }
}

@Suite("Subclasses of a container with Core Data's names")
struct ContainerOverrideTests {
  private func makeContainer() throws -> OwnContainer {
    OwnContainer(
      name: "Cookbook",
      managedObjectModel: try NSManagedObjectModel(Recipe.self, Step.self, Tag.self))
  }

  @Test("an override of newBackgroundContext is written as for Core Data, and used (F45)")
  func overriddenContext() async throws {
    let container = try makeContainer()
    #expect(container.newBackgroundContext().name == "own")
    let name = await container.performBackgroundTask { $0.name }
    #expect(name == "own")
    let heard = await withCheckedContinuation { continuation in
      container.performBackgroundTask { continuation.resume(returning: $0.name) }
    }
    #expect(heard == "own")
  }

  @Test("a new background context can be handed to a task (F45)")
  func contextOfTask() async throws {
    let container = try makeContainer()
    let context = container.newBackgroundContext()
    let name = await Task { context.name }.value
    #expect(name == "own")
  }
}
