// SPDX-License-Identifier: Apache-2.0

import Dispatch
import Foundation
import Observation
import Roost
import Testing

/// Releases objects on a separate thread, which nothing blocks.
private final class Releaser: @unchecked Sendable {
  // Sendable: an object that is passed here is used by no other thread, and only released here.

  private let queue = DispatchQueue(label: "releaser")

  func release(_ objects: consuming [AnyObject]) {
    // From here on only the queue has the objects.
    nonisolated(unsafe) var objects = objects
    queue.async {
      while objects.popLast() != nil {}
    }
  }

  func finish() { queue.sync {} }
}

// A block returns its objects, and a closure passed to a queue captures those of others: the thread of the last
// release is random. Each test runs in a separate process, which a broken registry would crash.
@Suite("Objects that are released outside of their context's queue") struct ReleasedElsewhereTests {
  private static let count = 300
  #if DEBUG
  private static let rounds = 200
  #else
  private static let rounds = 1000
  #endif

  /// Returns a context with a queue, and records in its store.
  private static func context(_ concurrency: ManagedObjectContext.ConcurrencyType = .privateQueue)
    throws -> ManagedObjectContext
  {
    let stack = try Stack()
    for index in 0..<count {
      let employee = Employee(context: stack.context)
      employee.name = "employee \(index)"
      employee.department = Department(context: stack.context)
    }
    try stack.context.save()
    return ManagedObjectContext(concurrency, coordinator: stack.context.persistentStoreCoordinator)
  }

  @Test("a record is fetched while its object goes: there is one, and it is whole (B32, B45)")
  func fetching() async throws {
    await #expect(processExitsWith: .success) {
      let context = try Self.context()
      let releaser = Releaser()
      for _ in 0..<Self.rounds {
        releaser.release(try context.performAndWait { try context.fetch(Employee.fetchRequest()) })
        try context.performAndWait {
          let found = try context.fetch(Employee.fetchRequest())
          precondition(found.count == Self.count)
          for employee in found {
            precondition(context.registeredObject(for: employee.objectID) === employee)
            precondition(employee.name.hasPrefix("employee"))
          }
        }
      }
      releaser.finish()
      let left = context.performAndWait { context.registeredObjects.count }
      precondition(left == 0, "\(left) objects are registered that nobody holds.")
    }
  }

  @Test("objects of the main queue's context may go anywhere (B45)")
  func mainQueue() async throws {
    await #expect(processExitsWith: .success) { @MainActor in
      let context = try Self.context(.mainQueue)
      let releaser = Releaser()
      for _ in 0..<Self.rounds {
        releaser.release(try context.fetch(Employee.fetchRequest()))
        let found = try context.fetch(Employee.fetchRequest())
        precondition(found.count == Self.count)
      }
      releaser.finish()
      precondition(context.registeredObjects.isEmpty)
    }
  }

  @Test("what goes with an object goes where it goes: relationships, observers, fetched values")
  func companions() async throws {
    await #expect(processExitsWith: .success) {
      let context = try Self.context()
      let releaser = Releaser()
      context.performAndWait { context.allowsObservation = true }
      for _ in 0..<Self.rounds {
        releaser.release(
          try context.performAndWait {
            let found = try context.fetch(Employee.fetchRequest())
            for employee in found {
              withObservationTracking {
                _ = employee.department?.name
              } onChange: {
              }
            }
            return found
          })
        try context.performAndWait {
          for department in try context.fetch(Department.fetchRequest()) {
            withObservationTracking {
              _ = department.name
            } onChange: {
            }
          }
        }
      }
      releaser.finish()
      precondition(context.performAndWait { context.registeredObjects.isEmpty })
    }
  }

  @Test("a context goes while its objects do")
  func contexts() async throws {
    await #expect(processExitsWith: .success) {
      let stack = try Self.context()
      let releaser = Releaser()
      for _ in 0..<Self.rounds {
        var context: ManagedObjectContext? = ManagedObjectContext(
          .privateQueue, coordinator: stack.persistentStoreCoordinator)
        releaser.release(
          try context!.performAndWait { try context!.fetch(Employee.fetchRequest()) })
        context = nil
      }
      releaser.finish()
    }
  }
}
