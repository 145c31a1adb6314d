// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A person as a plain object, as a program without a framework makes one from each row.
final class PlainPerson {
  let id: Int64
  var name: String
  var email: String
  var age: Int32
  var score: Double
  var created: Double
  var active: Bool
  var uuid: UUID
  var bio: String
  var department: Int64

  init(
    id: Int64, name: String, email: String, age: Int32, score: Double, created: Double,
    active: Bool, uuid: UUID, bio: String, department: Int64
  ) {
    self.id = id
    self.name = name
    self.email = email
    self.age = age
    self.score = score
    self.created = created
    self.active = active
    self.uuid = uuid
    self.bio = bio
    self.department = department
  }

  convenience init(id: Int64, _ sample: Sample) {
    self.init(
      id: id, name: sample.name, email: sample.email, age: sample.age, score: sample.score,
      created: sample.created, active: sample.active, uuid: sample.uuid, bio: sample.bio,
      department: Int64(sample.department + 1))
  }
}

/// Plain persons kept in memory and found by ID, as an object graph does.
struct PlainPeople {
  private(set) var list: [PlainPerson] = []
  private(set) var byID: [Int64: PlainPerson] = [:]

  /// - Parameter capacity: The number of persons: a careful program reserves the capacity when it knows it.
  init(capacity: Int) {
    list.reserveCapacity(capacity)
    byID.reserveCapacity(capacity)
  }

  mutating func keep(_ person: PlainPerson) {
    byID[person.id] = person
    list.append(person)
  }

  var checksum: Checksum {
    var sum = Checksum()
    for person in list { sum.add(person) }
    return sum
  }
}
