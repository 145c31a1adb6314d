// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostInMemory
import Testing

@Suite struct FaultingTests {
  @Test("a context has one object a record, another context another one (B32, B33)")
  func uniquing() throws {
    let stack = try Stack()
    let id = try stack.seed(1)[0]
    let first = try #require(stack.employees().first)
    let again = try #require(stack.employees().first)
    #expect(first === again)
    #expect(stack.context.object(with: id) === first)
    let other = try #require(stack.employees(in: stack.anotherContext()).first)
    #expect(other !== first)
  }

  @Test("what an object says of itself fires no fault (B34)")
  func quietProperties() throws {
    let stack = try Stack()
    let object = stack.context.object(with: try stack.seed(1)[0])
    _ = (object.objectID, object.entity, object.managedObjectContext, object.isInserted)
    _ = (object.isUpdated, object.isDeleted, object.faultingState, object.description)
    _ = (object == object, object.hashValue, object.hasChanges)
    #expect(object.isFault)
    #expect(stack.context.counters.roundTrips == 0)
  }

  @Test("a fetch returns faults whose values need no further round trip (B36, B39)")
  func fetchReturnsFaults() throws {
    let stack = try Stack()
    _ = try stack.seed(3)
    let people = try stack.employees()
    #expect(people.allSatisfy { $0.isFault })
    let trips = stack.context.counters.roundTrips
    #expect(people.map(\.name) == ["P0", "P1", "P2"])
    #expect(people.allSatisfy { !$0.isFault })
    #expect(stack.context.counters.roundTrips == trips)
  }

  @Test("returnsObjectsAsFaults = false returns objects with values (B129)")
  func realized() throws {
    let stack = try Stack()
    _ = try stack.seed(2)
    let request = FetchRequest<Employee>(entityName: "Employee")
    request.returnsObjectsAsFaults = false
    #expect(try stack.context.fetch(request).allSatisfy { !$0.isFault })
  }

  @Test("relationships of a realized object are faults, and firing keeps identities (B38)")
  func relationshipFaults() throws {
    let stack = try Stack()
    _ = try stack.seed(2)
    let people = try stack.employees()
    _ = people[0].name
    #expect(people[0].hasFault(forRelationshipNamed: "department"))
    let department = try #require(people[0].department)
    #expect(department.isFault)
    #expect(department.name == "Research")
    #expect(people[1].department === department)
    #expect(department.hasFault(forRelationshipNamed: "people"))
    #expect(department.people == Set(people))
  }

  @Test("faults of objects that were fetched together fire in one round trip")
  func batchedFaults() throws {
    let stack = try Stack()
    let seeding = stack.anotherContext()
    for index in 0..<50 {
      let department = Department(context: seeding)
      department.name = "D\(index)"
      let person = Employee(context: seeding)
      person.age = Int32(index)
      person.department = department
    }
    try seeding.save()
    seeding.reset()
    let people = try stack.employees()
    stack.context.resetCounters()
    let names = people.compactMap { $0.department?.name }
    #expect(Set(names).count == 50)
    #expect(stack.context.counters.roundTrips <= 1)
    stack.context.resetCounters()
    let counts = people.compactMap { $0.department?.people.count }
    #expect(counts == Array(repeating: 1, count: 50))
    #expect(stack.context.counters.roundTrips <= 1)
  }

  @Test("a context can forbid round trips that nobody asked for")
  func forbiddenRoundTrips() throws {
    let stack = try Stack()
    _ = try stack.seed(1)
    let person = try #require(stack.employees().first)
    stack.context.allowsImplicitRoundTrips = false
    #expect(person.department?.people.isEmpty ?? true)
    #expect(code { try stack.context.save() } == .forbiddenByPolicy)
    stack.context.allowsImplicitRoundTrips = true
    #expect(person.department?.people == [person])
  }

  @Test("object(with:) and registeredObject(for:) ask no store (B40, B41)")
  func objectWithID() throws {
    let stack = try Stack()
    let id = try stack.seed(1)[0]
    #expect(stack.context.registeredObject(for: id) == nil)
    let object = stack.context.object(with: id)
    #expect(object.isFault)
    #expect(stack.context.registeredObject(for: id) === object)
    #expect(stack.context.counters.roundTrips == 0)
  }

  @Test("existingObject(with:) returns values, and throws for a missing record (B42)")
  func existingObject() throws {
    let stack = try Stack()
    let id = try stack.seed(1)[0]
    #expect(try !stack.context.existingObject(with: id).isFault)
    let other = stack.anotherContext()
    other.delete(try other.existingObject(with: id))
    try other.save()
    let third = stack.anotherContext()
    #expect(
      code { _ = try third.existingObject(with: id) } == .objectReferentialIntegrity)
  }

  @Test("a fault whose record is gone is a deleted object that reads nil (B43)")
  func inaccessibleFault() throws {
    let stack = try Stack()
    let id = try stack.seed(1)[0]
    let object = try #require(stack.context.object(with: id) as? Employee)
    let other = stack.anotherContext()
    other.delete(try other.existingObject(with: id))
    try other.save()
    #expect(object.name == "")
    #expect(object.isDeleted)
    #expect(stack.context.deletedObjects == [object])
    try stack.context.save()
    #expect(!stack.context.hasChanges)
  }

  @Test("without shouldDeleteInaccessibleFaults a missing record is an error (B43)")
  func inaccessibleFaultAsError() throws {
    let stack = try Stack()
    let id = try stack.seed(1)[0]
    let object = try #require(stack.context.object(with: id) as? Employee)
    let other = stack.anotherContext()
    other.delete(try other.existingObject(with: id))
    try other.save()
    stack.context.shouldDeleteInaccessibleFaults = false
    #expect(object.name == "")
    #expect(!object.isDeleted)
    #expect(code { try stack.context.save() } == .objectReferentialIntegrity)
  }

  @Test("an object whose context is gone keeps no context and stays the fault that it was (B44)")
  func contextGone() throws {
    let stack = try Stack()
    let id = try stack.seed(1)[0]
    var context: ManagedObjectContext? = stack.anotherContext()
    let object = try #require(context?.object(with: id) as? Employee)
    context = nil
    #expect(object.managedObjectContext == nil)
    #expect(object.isFault)
    #expect(object.objectID == id)
  }

  @Test("a context keeps changed objects alive and lets clean ones go (B45)")
  func weakRegistry() throws {
    let stack = try Stack()
    let ids = try stack.seed(2)
    do {
      let people = try stack.employees()
      people[0].name = "changed"
      _ = people[1].name
    }
    #expect(stack.context.registeredObject(for: ids[0]) != nil)
    #expect(stack.context.registeredObject(for: ids[1]) == nil)
    stack.context.rollback()
    #expect(stack.context.registeredObject(for: ids[0]) == nil)
    stack.context.retainsRegisteredObjects = true
    _ = try stack.employees()
    #expect(stack.context.registeredObjects.count == 2)
  }

  @Test("refreshing without merging makes a fault and drops the changes (B46, B47)")
  func refreshToFault() throws {
    let stack = try Stack()
    let witness = Witness(context: stack.context)
    witness.title = "saved"
    try stack.context.save()
    witness.title = "unsaved"
    witness.calls = []
    try stack.context.refresh(witness, mergeChanges: false)
    #expect(witness.calls == ["willTurnIntoFault false", "didTurnIntoFault true"])
    #expect(!witness.hasChanges)
    #expect(!stack.context.hasChanges)
    #expect(witness.title == "saved")
  }

  @Test("awakeFromFetch runs at each fulfilment, and what it sets is no change (B48)")
  func awakeFromFetch() throws {
    let stack = try Stack()
    let witness = Witness(context: stack.context)
    try stack.context.save()
    witness.calls = []
    for _ in 0..<2 {
      try stack.context.refresh(witness, mergeChanges: false)
      #expect(witness.stamp == 77)
    }
    #expect(witness.calls.filter { $0 == "awakeFromFetch" }.count == 2)
    #expect(!witness.hasChanges)
    #expect(!stack.context.hasChanges)
  }

  @Test("a fetch leaves realized and changed objects as they are (B49)")
  func fetchKeepsValues() throws {
    let stack = try Stack()
    _ = try stack.seed(2)
    let people = try stack.employees()
    _ = people[0].name
    people[1].name = "mine"
    let other = stack.anotherContext()
    for person in try stack.employees(in: other) { person.name = "theirs" }
    try other.save()
    let again = try stack.employees()
    #expect(again.map(\.name) == ["P0", "mine"])
    let request = FetchRequest<Employee>(entityName: "Employee")
    request.sortDescriptors = [SortOrdering("age")]
    request.shouldRefreshRefetchedObjects = true
    #expect(try stack.context.fetch(request).map(\.name) == ["theirs", "mine"])
  }

  @Test("the row cache of a coordinator serves all of its contexts (B51)")
  func sharedRowCache() throws {
    let stack = try Stack()
    let ids = try stack.seed(3)
    let people = try stack.employees()
    let other = stack.anotherContext()
    let names = ids.compactMap { (other.object(with: $0) as? Employee)?.name }
    #expect(names == ["P0", "P1", "P2"])
    #expect(other.counters.roundTrips == 0)
    #expect(people.count == 3)
  }
}
