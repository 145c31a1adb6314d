// SPDX-License-Identifier: Apache-2.0

import Foundation
import Roost

/// The common part of the workloads A1 to A4: a few objects in memory, accessed again and again. No store request is
/// made, so the figures are the same on all stores; the baseline is access to stored properties.
protocol AccessWorkload: Workload {
  /// Prepares the objects for the workload; this is not measured.
  func prepare(_ people: [Person])
  func access(_ people: [Person]) throws -> Checksum
  /// The same on stored properties; nil where they have no such access.
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

  /// Fires the faults; the objects still share the store's rows.
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

/// The amount of accesses.
private enum Access {
  /// Few enough for the processor's L1 cache, rows and plain objects alike: the access is measured, not the placement
  /// of the objects in memory.
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

  /// Makes a first change, which copies the object's row: only later changes are measured.
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

/// A4: numbers are read by the names of their properties. Stored properties have no such access.
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

/// A4b: the same, with the value cast to a number, as most programs do. The cast is Foundation's.
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
