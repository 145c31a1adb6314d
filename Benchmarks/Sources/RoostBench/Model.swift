// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost

/// The person of the workloads: ten properties.
@Entity final class Person: ManagedObject {
  var name: String = ""
  var email: String = ""
  @Attribute(.indexed) var age: Int32 = 0
  var score: Double = 0
  var created: Date = Date(timeIntervalSinceReferenceDate: 0)
  var active: Bool = false
  var uuid: UUID?
  var bio: String = ""
  var visits: Int64 = 0
  @Relationship(inverse: \.people) var department: Department?
}

@Entity final class Department: ManagedObject {
  var name: String = ""
  @Relationship(inverse: \.department) var people: Set<Person>
}

/// The same data for everybody who is measured.
struct Sample {
  let name: String
  let email: String
  let age: Int32
  let score: Double
  let created: Double
  let active: Bool
  let uuid: UUID
  let bio: String
  let visits: Int64

  init(_ index: Int) {
    name = "Person number \(index)"
    email = "person.\(index)@example.org.invalid"
    age = Int32(index % 90)
    score = Double(index &* 7919 % 10_000) / 100
    created = Double(index) * 60.5
    active = index % 3 == 0
    uuid = UUID(
      uuid: (
        UInt8(truncatingIfNeeded: index), UInt8(truncatingIfNeeded: index >> 8),
        UInt8(truncatingIfNeeded: index >> 16), 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13
      ))
    bio = String(repeating: "A sentence about \(index). ", count: 4)
    visits = Int64(index) &* 31
  }
}
