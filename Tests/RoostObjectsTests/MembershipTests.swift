// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost
import RoostInMemory
import Testing

@Suite struct MembershipTests {
  /// A generator of random numbers that are the same in every run.
  private struct Dice: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
      state = state &* 6_364_136_223_846_793_005 &+ 1_442_695_040_888_963_407
      return state ^ (state >> 29)
    }
  }

  @Test(
    "over hundreds of additions, removals, saves and rollbacks a relationship has the members that it was given (B65)",
    arguments: [1, 2, 3] as [UInt64])
  func manyChanges(seed: UInt64) throws {
    let stack = try Stack()
    let context = stack.context
    var dice = Dice(state: seed)
    let departments = (0..<2).map { _ in Department(context: context) }
    let people = (0..<70).map { _ in Employee(context: context) }
    var expected = [Set<Employee>](repeating: [], count: 2)
    try context.save()
    var saved = expected
    for _ in 0..<600 {
      let place = Int.random(in: 0..<2, using: &dice)
      let person = people[Int.random(in: 0..<people.count, using: &dice)]
      switch Int.random(in: 0..<40, using: &dice) {
      case 0:
        try context.save()
        saved = expected
      case 1:
        context.rollback()
        expected = saved
      case 2:
        try context.save()
        saved = expected
        try context.refresh(departments[place], mergeChanges: false)
      case 3..<16:
        departments[place].people.remove(person)
        expected[place].remove(person)
      case 16..<28:
        departments[place].people.insert(person)
        expected[place].insert(person)
        expected[1 - place].remove(person)
      default:
        person.department = departments[place]
        expected[place].insert(person)
        expected[1 - place].remove(person)
      }
      for index in 0..<2 where Int.random(in: 0..<8, using: &dice) == 0 {
        #expect(departments[index].people == expected[index])
      }
    }
    try context.save()
    let other = stack.anotherContext()
    for (department, members) in zip(departments, expected) {
      let same = try #require(try other.existingObject(with: department.objectID) as? Department)
      #expect(Set(same.people.map(\.objectID)) == Set(members.map(\.objectID)))
    }
  }
}
