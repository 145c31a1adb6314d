// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost

/// The person of the workloads: nine attributes or so, of every common type, and a department.
@Entity final class Person: ManagedObject {
  var name: String = ""
  var email: String = ""
  @Attribute(.indexed) var age: Int32 = 0
  var score: Double = 0
  var created: Date = Date(timeIntervalSinceReferenceDate: 0)
  var active: Bool = false
  var uuid: UUID?
  var bio: String = ""
  @Relationship(inverse: \.people) var department: Department?
}

/// The department of the workloads.
@Entity final class Department: ManagedObject {
  var name: String = ""
  @Relationship(inverse: \.department) var people: Set<Person>
}

enum BenchModel {
  /// Makes a new model each time: the coordinator that uses a model freezes it.
  static func make() throws -> ManagedObjectModel {
    try ManagedObjectModel(Person.self, Department.self)
  }
}
