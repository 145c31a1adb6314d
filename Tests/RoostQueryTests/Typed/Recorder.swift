// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

@testable import RoostQuery

/// A stand-in for a managed object class, whose properties record that they are read.
class Recorded: KeyPathNaming, ObjectIDConvertible {
  final class Note {
    var path: [String] = []
  }

  let note: Note
  let objectID: ObjectID

  required init(_ note: Note, objectID: ObjectID = Company().id(4097)) {
    self.note = note
    self.objectID = objectID
  }

  static func propertyPath(for keyPath: AnyKeyPath) -> [String]? {
    let note = Note()
    let probe = self.init(note)
    _ = probe[keyPath: keyPath]
    return note.path.isEmpty ? nil : note.path
  }

  func read<T>(_ name: String, _ value: T) -> T {
    note.path.append(name)
    return value
  }

  func reach<T: Recorded>(_ name: String) -> T {
    note.path.append(name)
    return T(note)
  }
}

final class TypedPerson: Recorded {
  var name: String { read("name", "") }
  var nickname: String? { read("nickname", "") }
  var age: Int32 { read("age", 0) }
  var height: Double? { read("height", 0) }
  var active: Bool { read("active", false) }
  var born: Date? { read("born", Date(timeIntervalSinceReferenceDate: 0)) }
  var code: UUID? { read("code", UUID()) }
  var grade: TypedGrade { read("grade", .first) }
  var formerGrade: TypedGrade? { read("formerGrade", .first) }
  var boss: TypedPerson? { reach("boss") }
  var department: TypedDepartment? { reach("department") }
  var friends: Set<TypedPerson> { read("friends", []) }
  var reports: [TypedPerson] { read("reports", []) }
}

enum TypedGrade: String {
  case first = "A"
  case second = "B"
}

final class TypedDepartment: Recorded {
  var name: String { read("name", "") }
  var people: Set<TypedPerson> { read("people", []) }
}

extension Recorded: Hashable, FetchRequestResult {
  static func == (left: Recorded, right: Recorded) -> Bool { left === right }
  func hash(into hasher: inout Hasher) { hasher.combine(ObjectIdentifier(self)) }
}
