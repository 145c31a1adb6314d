// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost

/// What the workloads A1 to A3 have in common: few objects that are in memory, accessed again and again. No store is
/// asked, so the figures are the same on all of them, and what they are compared with are stored properties.
protocol AccessWorkload: Workload {
  func access(_ people: [Person]) -> Checksum
  func access(_ people: [PlainPerson]) -> Checksum
}

extension AccessWorkload {
  var baselines: [Baseline] { [.raw] }
  var expectedMilliseconds: Double { 15 }
  func goal(_ store: StoreKind) -> Goal? { Goal(3) }
  func operations(_ extent: Extent) -> Int { Access.count * Access.passes }

  func run(on stage: Stage) throws -> Checksum {
    let context = stage.newContext()
    let end = Date(timeIntervalSinceReferenceDate: Double(Access.count) * 60.5)
    let request = FetchRequest<Person>(entityName: "Person").where { $0.created < end }
    let people = try context.fetch(request)
    // Faults are fired, and rows made the objects' own.
    for person in people {
      person.age += 0
      person.score += 0
    }
    let sum = stage.measure { access(people) }
    context.reset()
    return sum
  }

  func run(_ baseline: Baseline, on stage: RawStage) throws -> Checksum? {
    let count = min(Access.count, stage.extent.objects)
    let people = stage.data.persons(0..<count).enumerated().map {
      PlainPerson(id: Int64($0.offset), $0.element)
    }
    return stage.measure { access(people) }
  }
}

/// How much is accessed.
private enum Access {
  static let count = 1_000
  static let passes = 1_000
}

/// A1: numbers are read.
struct ReadNumbers: AccessWorkload {
  let id = "A1"
  let title = "read a number of objects in memory, a million times"

  func access(_ people: [Person]) -> Checksum {
    var sum = Checksum()
    for _ in 0..<Access.passes {
      for person in people { sum.add(Int(person.age)) }
    }
    return sum
  }

  func access(_ people: [PlainPerson]) -> Checksum {
    var sum = Checksum()
    for _ in 0..<Access.passes {
      for person in people { sum.add(Int(person.age)) }
    }
    return sum
  }
}

/// A2: numbers are written.
struct WriteNumbers: AccessWorkload {
  let id = "A2"
  let title = "set a number of objects in memory, a million times"

  func access(_ people: [Person]) -> Checksum {
    for pass in 0..<Access.passes {
      for person in people { person.score = Double(pass) }
    }
    var sum = Checksum()
    for person in people { sum.add(person.score) }
    return sum
  }

  func access(_ people: [PlainPerson]) -> Checksum {
    for pass in 0..<Access.passes {
      for person in people { person.score = Double(pass) }
    }
    var sum = Checksum()
    for person in people { sum.add(person.score) }
    return sum
  }
}

/// A3: texts are read.
struct ReadTexts: AccessWorkload {
  let id = "A3"
  let title = "read a text of objects in memory, a million times"

  func access(_ people: [Person]) -> Checksum {
    var sum = Checksum()
    for _ in 0..<Access.passes {
      for person in people { sum.add(person.name) }
    }
    return sum
  }

  func access(_ people: [PlainPerson]) -> Checksum {
    var sum = Checksum()
    for _ in 0..<Access.passes {
      for person in people { sum.add(person.name) }
    }
    return sum
  }
}
