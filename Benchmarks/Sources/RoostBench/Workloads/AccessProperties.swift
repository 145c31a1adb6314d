// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost

/// What the workloads A1 to A4 have in common: few objects that are in memory, accessed again and again. No store is
/// asked, so the figures are the same on all of them, and what they are compared with are stored properties.
protocol AccessWorkload: Workload {
  /// Makes objects such as the workload means; this is not measured.
  func prepare(_ people: [Person])
  func access(_ people: [Person]) throws -> Checksum
  /// The same on stored properties; nil where they know nothing of the kind.
  func access(_ people: [PlainPerson]) -> Checksum?
}

extension AccessWorkload {
  var baselines: [Baseline] { [.raw] }
  var asksStore: Bool { false }
  var isBrief: Bool { true }
  var expectedMilliseconds: Double { 15 }
  func operations(_ extent: Extent) -> Int { Access.count * Access.passes }
  func repetitions(_ extent: Extent) -> Int {
    min(Access.count, extent.objects) * Access.passes
  }

  /// Faults are fired; the rows stay the store's.
  func prepare(_ people: [Person]) {
    for person in people { _ = person.age }
  }

  func run(on stage: Stage) throws -> Checksum {
    let context = stage.newContext()
    let end = Date(timeIntervalSinceReferenceDate: Double(Access.count) * 60.5)
    let request = FetchRequest<Person>(entityName: "Person").where { $0.created < end }
    let people = try context.fetch(request)
    prepare(people)
    let sum = try stage.measure { try access(people) }
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
  /// As many as stay in the processor's first cache, rows and plain objects alike: it is the access that is measured,
  /// and not where the objects happened to be put.
  static let count = 100
  static let passes = 10_000
}

/// A1: numbers are read.
struct ReadNumbers: AccessWorkload {
  let id = "A1"
  let title = "read a number of objects in memory"

  func goal(_ store: StoreKind) -> Goal? { Goal(ratio: 3, nanoseconds: 2) }

  func access(_ people: [Person]) -> Checksum {
    var sum = Checksum()
    for _ in 0..<Access.passes {
      for person in people { sum.add(Int(person.age)) }
    }
    return sum
  }

  func access(_ people: [PlainPerson]) -> Checksum? {
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
  let title = "set a number of objects in memory"

  func goal(_ store: StoreKind) -> Goal? { Goal(nanoseconds: 3) }

  /// The first change makes an object's row its own: what is measured are those that follow.
  func prepare(_ people: [Person]) {
    for person in people { person.score += 0 }
  }

  func access(_ people: [Person]) -> Checksum {
    for pass in 0..<Access.passes {
      for person in people { person.score = Double(pass) }
    }
    var sum = Checksum()
    for person in people { sum.add(person.score) }
    return sum
  }

  func access(_ people: [PlainPerson]) -> Checksum? {
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
  let title = "read a text of objects in memory"

  func access(_ people: [Person]) -> Checksum {
    var sum = Checksum()
    for _ in 0..<Access.passes {
      for person in people { sum.add(person.name) }
    }
    return sum
  }

  func access(_ people: [PlainPerson]) -> Checksum? {
    var sum = Checksum()
    for _ in 0..<Access.passes {
      for person in people { sum.add(person.name) }
    }
    return sum
  }
}

/// A4: numbers are read by the names of their properties. Stored properties have no such thing.
struct ReadByKey: AccessWorkload {
  let id = "A4"
  let title = "read a number of objects in memory by value(forKey:)"
  let baselines: [Baseline] = []

  func goal(_ store: StoreKind) -> Goal? { Goal(nanoseconds: 40) }

  func access(_ people: [Person]) throws -> Checksum {
    var found = 0
    for _ in 0..<Access.passes {
      for person in people where try person.value(forKey: "age") != nil { found += 1 }
    }
    var sum = Checksum()
    sum.add(found)
    return sum
  }

  func access(_ people: [PlainPerson]) -> Checksum? { nil }
}

/// A4b: the same, and what is read is made a number again, as most programs do. The cast is Foundation's.
struct ReadAndCastByKey: AccessWorkload {
  let id = "A4b"
  let title = "the same, and cast to a number"
  let baselines: [Baseline] = []

  func access(_ people: [Person]) throws -> Checksum {
    var sum = Checksum()
    for _ in 0..<Access.passes {
      for person in people {
        if let age = try person.value(forKey: "age") as? Int { sum.add(age) }
      }
    }
    return sum
  }

  func access(_ people: [PlainPerson]) -> Checksum? { nil }
}
