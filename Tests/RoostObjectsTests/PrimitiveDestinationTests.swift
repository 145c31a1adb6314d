// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostInMemory
import Testing

@Suite("Primitive values of relationships")
struct PrimitiveDestinationTests {
  @Test("a to-one relationship has its primitive value after willAccessValue (B355)")
  func toOne() throws {
    let stack = try Stack()
    let id = try stack.seed(1)[0]
    let context = stack.anotherContext()
    let person = context.object(with: id)
    #expect(try person.primitiveValue(forKey: "department") == nil)
    person.willAccessValue(forKey: "department")
    let department = try person.primitiveValue(forKey: "department") as? Department
    person.didAccessValue(forKey: "department")
    #expect(department?.name == "Research")
    #expect(department === (person as? Employee)?.department)
  }

  @Test("once an object is no fault, its to-one destination is known, as a fault (B355)")
  func otherKey() throws {
    let stack = try Stack()
    let id = try stack.seed(1)[0]
    let context = stack.anotherContext()
    let person = context.object(with: id)
    person.willAccessValue(forKey: "name")
    let before = context.counters.roundTrips
    let department = try person.primitiveValue(forKey: "department") as? Department
    #expect(department?.isFault == true)
    #expect(context.counters.roundTrips == before)
    #expect(try person.primitiveValue(forKey: "badge") == nil)
  }

  @Test("a to-many relationship has its primitive value after willAccessValue (B355)")
  func toMany() throws {
    let stack = try Stack()
    _ = try stack.seed(3)
    let context = stack.anotherContext()
    let department = try #require(
      try context.fetch(FetchRequest<Department>(entityName: "Department")).first)
    department.willAccessValue(forKey: "people")
    let people = try department.primitiveValue(forKey: "people") as? Set<ManagedObject>
    #expect(people?.count == 3)
  }

  @Test("what a primitive setter put there is what the primitive value is (B54, B355)")
  func setter() throws {
    let stack = try Stack()
    let id = try stack.seed(1)[0]
    let person = try #require(stack.context.object(with: id) as? Employee)
    person.willAccessValue(forKey: "department")
    try person.setPrimitiveValue(nil, forKey: "department")
    #expect(try person.primitiveValue(forKey: "department") == nil)
    let other = Department(context: stack.context)
    try person.setPrimitiveValue(other, forKey: "department")
    #expect(try person.primitiveValue(forKey: "department") as? Department === other)
  }
}
