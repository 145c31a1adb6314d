// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What was read, as a number that does not depend on the order: proof that two programs did the same work.
struct Checksum: Hashable, Codable, CustomStringConvertible {
  private(set) var sum: UInt64 = 0

  var description: String { String(sum, radix: 16) }

  @inline(__always)
  mutating func add(_ number: Int) { sum &+= UInt64(truncatingIfNeeded: number) }

  @inline(__always)
  mutating func add(_ number: Double) { sum &+= number.bitPattern }

  /// A text: its length and its first byte, so that reading it is more than finding it.
  @inline(__always)
  mutating func add(_ text: String) {
    let bytes = text.utf8
    sum &+= UInt64(bytes.count) &+ UInt64(bytes.first ?? 0) &<< 8
  }

  /// A text as bytes.
  @inline(__always)
  mutating func add(_ bytes: UnsafeRawBufferPointer) {
    sum &+= UInt64(bytes.count) &+ UInt64(bytes.first ?? 0) &<< 8
  }

  @inline(__always)
  mutating func add(_ uuid: uuid_t) { sum &+= UInt64(uuid.0) &+ UInt64(uuid.15) }

  /// A result in its place, where the order counts.
  @inline(__always)
  mutating func add(_ number: Double, place: Int) {
    sum &+= number.bitPattern &* UInt64(truncatingIfNeeded: 2 &* place &+ 1)
  }

  /// An average: engines add doubles in orders of their own, so the last digits are not compared.
  mutating func add(average: Double) { add(Int((average * 1e6).rounded())) }
}

extension Checksum {
  /// All properties of a person.
  @inline(__always)
  mutating func add(_ person: Person) {
    add(person.name)
    add(person.email)
    add(Int(person.age))
    add(person.score)
    add(person.created.timeIntervalSinceReferenceDate)
    add(person.active ? 1 : 0)
    if let uuid = person.uuid { add(uuid.uuid) }
    add(person.bio)
  }

  /// All properties of a plain object.
  @inline(__always)
  mutating func add(_ person: PlainPerson) {
    add(person.name)
    add(person.email)
    add(Int(person.age))
    add(person.score)
    add(person.created)
    add(person.active ? 1 : 0)
    add(person.uuid.uuid)
    add(person.bio)
  }
}

extension Checksum {
  /// What another part of the work has read.
  mutating func add(_ other: Checksum) { sum &+= other.sum }
}
