// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A person as a value in an array.
struct PlainRecord {
  // The values that requests compare first are adjacent, so that they share a cache line of the processor.
  var score: Double
  let age: Int32
  /// The number of the department, from 0.
  let department: Int32
  let active: Bool
  /// Whether the person was deleted. Its element stays in the array, so that the indexes of the others remain valid.
  private(set) var isGone = false
  let id: Int64
  let created: Double
  let uuid: UUID
  private(set) var name: String
  private(set) var email: String
  private(set) var bio: String

  init(id: Int, _ sample: Sample) {
    self.id = Int64(id)
    name = sample.name
    email = sample.email
    bio = sample.bio
    score = sample.score
    created = sample.created
    uuid = sample.uuid
    age = sample.age
    department = Int32(sample.department)
    active = sample.active
  }

  /// Marks the person as deleted, and frees its texts.
  mutating func remove() {
    isGone = true
    name = ""
    email = ""
    bio = ""
  }

  /// The person as an object.
  var object: PlainPerson {
    PlainPerson(
      id: id, name: name, email: email, age: age, score: score, created: created, active: active,
      uuid: uuid, bio: bio, department: Int64(department) + 1)
  }

  @inline(__always)
  func add(to sum: inout Checksum) {
    sum.add(name)
    sum.add(email)
    sum.add(Int(age))
    sum.add(score)
    sum.add(created)
    sum.add(active ? 1 : 0)
    sum.add(uuid.uuid)
    sum.add(bio)
  }
}
