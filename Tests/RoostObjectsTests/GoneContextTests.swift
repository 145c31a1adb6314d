// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import Testing

@Suite("Objects whose context is gone") struct GoneContextTests {
  /// Returns an employee that outlives its context.
  private static func orphan(
    _ prepare: (Employee, ManagedObjectContext) throws -> Void = { _, _ in }
  ) throws -> Employee {
    let stack = try Stack()
    let context = stack.anotherContext()
    let employee = Employee(context: context)
    employee.name = "kept"
    employee.department = Department(context: context)
    try context.save()
    try prepare(employee, context)
    return employee
  }

  @Test("what was read stays readable")
  func known() throws {
    let employee = try Self.orphan()
    #expect(employee.managedObjectContext == nil)
    #expect(employee.name == "kept")
    #expect(employee.badge == nil)
    #expect(try employee.value(forKey: "name") as? String == "kept")
  }

  @Test("values that were at hand and not looked at are there")
  func atHand() throws {
    let stack = try Stack()
    _ = try stack.seed(1)
    func fetched() throws -> Employee {
      let context = stack.anotherContext()
      return try #require(try context.fetch(Employee.fetchRequest()).first)
    }
    let employee = try fetched()
    #expect(!employee.name.isEmpty)
  }

  @Test("a fault ends the program with a sentence")
  func fault() async throws {
    await #expect(processExitsWith: .failure) {
      let employee = try Self.orphan { try $1.refresh($0, mergeChanges: false) }
      print(employee.name)
    }
  }

  @Test("a relationship ends the program with a sentence")
  func relationships() async throws {
    await #expect(processExitsWith: .failure) {
      print(try Self.orphan().department as Any)
    }
    await #expect(processExitsWith: .failure) {
      print(try Self.orphan().teams.count)
    }
  }

  @Test("a change ends a debug build with a sentence, and stays in the object in others")
  func change() async throws {
    #if DEBUG
    await #expect(processExitsWith: .failure) {
      try Self.orphan().name = "changed"
    }
    #else
    let employee = try Self.orphan()
    employee.name = "changed"
    #expect(employee.name == "changed" && !employee.hasChanges)
    #endif
  }

  @Test("a deleted object that was saved, and one that was never inserted, are no orphans")
  func others() throws {
    let employee = try Self.orphan { employee, context in
      context.delete(employee)
      try context.save()
    }
    employee.name = "none"
    let stack = try Stack()
    let entity = Employee(context: stack.context).entity
    let loose = Employee(entity: entity, insertInto: nil)
    loose.name = "loose"
    #expect(loose.name == "loose" && loose.teams.isEmpty)
  }
}
