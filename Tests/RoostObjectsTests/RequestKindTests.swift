// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostInMemory
import RoostModel
import Testing

@Suite("What a request asks for")
struct RequestKindTests {
  private let stack: Stack

  init() throws {
    stack = try Stack()
    _ = try stack.seed(4)
  }

  @Test(
    "a result type that is not that of the request's Swift type is an error, not an empty answer")
  func mismatch() throws {
    let request = Employee.fetchRequest()
    request.resultType = .dictionaryResultType
    #expect(throws: PersistenceError(.invalidRequest, "")) { try stack.context.fetch(request) }
    let dictionaries = FetchRequest<[String: Any]>(entityName: "Employee")
    dictionaries.resultType = .managedObjectResultType
    #expect(throws: PersistenceError(.invalidRequest, "")) {
      try stack.context.fetch(dictionaries)
    }
  }

  @Test("the count of a grouped request is the number of its groups (B130)")
  func groups() throws {
    let request = FetchRequest<[String: Any]>(entityName: "Employee")
    request.resultType = .dictionaryResultType
    request.propertiesToFetch = ["department"]
    request.propertiesToGroupBy = ["department"]
    Employee(context: stack.context).name = "new"
    #expect(try stack.context.fetch(request).count == 1)
    #expect(try stack.context.count(for: request) == 1)
  }

  @Test("a store that is not attached is refused, not left out (B136)")
  func missingStore() throws {
    let coordinator = stack.container.persistentStoreCoordinator
    let request = Employee.fetchRequest()
    let other = try coordinator.addPersistentStore(with: .inMemory())
    request.affectedStores = [other]
    #expect(try stack.context.count(for: request) == 0)
    try coordinator.remove(other)
    #expect(throws: PersistenceError(.storeRemoved, "")) { try stack.context.count(for: request) }
  }

  @Test("what a child wants to be compared is compared by its parent's save (B176)")
  func comparedByParent() throws {
    let employee = try #require(try stack.employees().first)
    #expect(employee.name == "P0")
    let child = ManagedObjectContext(parent: stack.context)
    let copy = try child.existingObject(with: employee.objectID)
    child.detectConflicts(for: copy)
    let other = stack.anotherContext()
    (try other.existingObject(with: employee.objectID) as? Employee)?.age = 77
    try other.save()
    Department(context: child).name = "new"
    try child.save()
    #expect(throws: PersistenceError(.managedObjectMerge, "")) { try stack.context.save() }
  }
}
