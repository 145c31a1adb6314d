// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost

extension Stage {
  /// Fills the empty store part by part, so that the data need not be in memory.
  func fill() throws {
    try clear()
    var departments: [ObjectID] = []
    for start in stride(from: 0, to: extent.objects, by: 100_000) {
      let range = start..<min(start + 100_000, extent.objects)
      let context = newContext()
      if start == 0 {
        let made = data.departmentNames.map { Self.department($0, in: context) }
        for sample in data.persons(range) {
          Self.person(sample, in: context).department = made[sample.department]
        }
        try context.save()
        departments = made.map(\.objectID)
        continue
      }
      for sample in data.persons(range) {
        let department = context.object(with: departments[sample.department])
        Self.person(sample, in: context).department = department as? Department
      }
      try context.save()
    }
  }

  /// Makes a person of the data.
  @inline(__always)
  static func person(_ sample: Sample, in context: ManagedObjectContext) -> Person {
    let person = Person(context: context)
    person.name = sample.name
    person.email = sample.email
    person.age = sample.age
    person.score = sample.score
    person.created = Date(timeIntervalSinceReferenceDate: sample.created)
    person.active = sample.active
    person.uuid = sample.uuid
    person.bio = sample.bio
    return person
  }

  static func department(_ name: String, in context: ManagedObjectContext) -> Department {
    let department = Department(context: context)
    department.name = name
    return department
  }

  /// Reopens the store and reads all its data, to verify what a workload wrote.
  func contents() throws -> Checksum {
    try reopen()
    var sum = Checksum()
    let people = try newContext().fetch(FetchRequest<Person>(entityName: "Person"))
    for person in people { sum.add(person) }
    return sum
  }
}
