// SPDX-License-Identifier: Apache-2.0

import Foundation
import Testing

/// Tests that the compiler keeps objects in their context's isolation: correct programs compile, and each way of
/// leaking an object is rejected.
@Suite struct IsolationTests {
  @Test("programs that keep objects with their context compile", .enabled(if: Compiler.isUsed))
  func goodPrograms() throws {
    let result = try Compiler.check(
      """
      import Roost
      @MainActor func ui(_ container: PersistentContainer) throws {
        let context = container.viewContext
        let objects = try context.fetch(FetchRequest<ManagedObject>(entityName: "Person"))
        try objects[0].setValue("y", forKey: "name")
        try context.save()
      }
      func background(_ container: PersistentContainer) async throws -> [String] {
        try await container.performBackgroundTask { context in
          try context.fetch(FetchRequest<ManagedObject>(entityName: "Person")).map {
            try $0.value(forKey: "name") as? String ?? ""
          }
        }
      }
      func handOver(_ container: PersistentContainer) async throws {
        let context = container.newBackgroundContext()
        let object = try context.fetch(FetchRequest<ManagedObject>(entityName: "Person"))[0]
        Task {
          try object.setValue("moved", forKey: "name")
          try context.save()
        }
      }
      """)
    #expect(result.succeeded, "\(result.output)")
  }

  @Test(
    "programs that use queues, actors and child contexts compile", .enabled(if: Compiler.isUsed))
  func goodQueues() throws {
    let result = try Compiler.check(
      """
      import Roost
      func share(_ actor: ContextActor) async throws -> Int {
        try await actor.perform { context in
          try context.fetch(FetchRequest<ManagedObject>(entityName: "Person")).count
        }
      }
      func queue(_ container: PersistentContainer) async throws {
        let context = container.newBackgroundContext()
        try await context.perform { try context.save() }
        context.performAndWait { context.rollback() }
      }
      func direct(_ container: PersistentContainer) async throws {
        let context = container.newBackgroundContext()
        let objects = try context.fetch(FetchRequest<ManagedObject>(entityName: "Person"))
        try await context.perform {
          try objects[0].setValue("z", forKey: "name")
          try context.save()
        }
        try context.performAndWait { try objects[0].setValue("z", forKey: "name") }
        try context.save()
      }
      func old(_ container: PersistentContainer) {
        let context = container.newBackgroundContext()
        context.perform { try? context.save() }
      }
      @MainActor func childOfMain(_ container: PersistentContainer) {
        let child = container.viewContext.newChildContext()
        Task.detached {
          _ = try child.fetch(FetchRequest<ManagedObject>(entityName: "Person"))
          try child.save()
        }
      }
      func childOfActor(_ actor: ContextActor) async throws {
        let child = await actor.newChildContext()
        Task { try child.save() }
      }
      @MainActor func childInPlace(_ container: PersistentContainer) throws {
        let child = ManagedObjectContext(.mainQueue, parent: container.viewContext)
        try child.save()
        try container.viewContext.save()
      }
      func bothHandedOver(_ container: PersistentContainer) {
        let parent = container.newBackgroundContext()
        let child = ManagedObjectContext(parent: parent)
        Task {
          try child.save()
          try parent.save()
        }
      }
      func ids(_ container: PersistentContainer) async throws -> ObjectID {
        try await container.performBackgroundTask { context in
          try context.fetch(FetchRequest<ManagedObject>(entityName: "Person"))[0].objectID
        }
      }
      """)
    #expect(result.succeeded, "\(result.output)")
  }

  @Test(
    "a program that lets an object leave its context is rejected",
    .enabled(if: Compiler.isUsed),
    arguments: [
      (
        "sending",
        """
        @MainActor func detached(_ container: PersistentContainer) throws {
          let object = try container.viewContext.fetch(request())[0]
          Task.detached { try object.setValue("BAD", forKey: "name") }
        }
        """
      ),
      (
        "sending",
        """
        func usedAfterHandOver(_ container: PersistentContainer) async throws {
          let context = container.newBackgroundContext()
          let object = try context.fetch(request())[0]
          Task { try object.setValue("BAD", forKey: "name") }
          try context.save()
        }
        """
      ),
      (
        "sending",
        """
        func fromBackground(_ container: PersistentContainer) async throws -> ManagedObject {
          try await container.performBackgroundTask { context in try context.fetch(request())[0] }
        }
        """
      ),
      (
        "sending",
        """
        func fromActor(_ actor: ContextActor) async throws -> ManagedObject {
          try await actor.perform { context in try context.fetch(request())[0] }
        }
        """
      ),
      (
        "Sendable",
        """
        func intoActor(_ actor: ContextActor, _ container: PersistentContainer) async throws {
          let object = try container.newBackgroundContext().fetch(request())[0]
          try await actor.perform { context in try object.setValue("BAD", forKey: "name") }
        }
        """
      ),
      (
        "main actor-isolated",
        """
        func fromMain(_ container: PersistentContainer) async throws {
          let object = try await container.viewContext.fetch(request())[0]
          try object.setValue("BAD", forKey: "name")
        }
        """
      ),
      (
        "sending",
        """
        func childAlone(_ container: PersistentContainer) throws {
          let parent = container.newBackgroundContext()
          let child = ManagedObjectContext(parent: parent)
          Task { try child.save() }
          try parent.save() // BAD
        }
        """
      ),
      (
        "sending",
        """
        @MainActor func childOfView(_ container: PersistentContainer) {
          let child = ManagedObjectContext(.privateQueue, parent: container.viewContext)
          Task.detached { try child.save() } // BAD
        }
        """
      ),
      (
        "sending",
        """
        @MainActor func objectOfParent(_ container: PersistentContainer) throws {
          let child = container.viewContext.newChildContext()
          let object = try container.viewContext.fetch(request())[0]
          Task.detached {
            try object.setValue("BAD", forKey: "name")
            try child.save()
          }
        }
        """
      ),
      (
        "main actor-isolated",
        """
        func parentOfDetached(_ context: ManagedObjectContext) {
          let child = context.newChildContext() // BAD: only the main actor's contexts
          Task { try child.save() }
        }
        """
      ),
      (
        "Sendable",
        """
        func asSendable(_ object: ManagedObject) -> any Sendable { object }
        """
      ),
      (
        "Sendable",
        """
        func contextAsSendable(_ context: ManagedObjectContext) -> any Sendable { context }
        """
      ),
    ] as [(diagnosis: String, program: String)])
  func leaks(diagnosis: String, program: String) throws {
    let result = try Compiler.check(
      """
      import Roost
      func request() -> FetchRequest<ManagedObject> { FetchRequest(entityName: "Person") }
      \(program)
      """)
    #expect(!result.succeeded)
    // All errors are about isolation.
    let errors = result.output.split(separator: "\n").filter { $0.contains("error: ") }
    #expect(!errors.isEmpty)
    #expect(errors.allSatisfy { $0.contains(diagnosis) }, "\(result.output)")
  }
}
