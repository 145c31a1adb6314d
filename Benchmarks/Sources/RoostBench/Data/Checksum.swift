// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A checksum of the values read that does not depend on their order: proof that two programs did the same work.
struct Checksum: Hashable, Codable, CustomStringConvertible {
  private(set) var sum: UInt64 = 0

  var description: String { String(sum, radix: 16) }

  @inline(__always)
  mutating func add(_ number: Int) { sum &+= UInt64(truncatingIfNeeded: number) }

  @inline(__always)
  mutating func add(_ number: Double) { sum &+= number.bitPattern }

  /// Adds a text: its length and its first byte, so that its bytes must be read, not only located.
  @inline(__always)
  mutating func add(_ text: String) {
    let bytes = text.utf8
    sum &+= UInt64(bytes.count) &+ UInt64(bytes.first ?? 0) &<< 8
  }

  /// Adds a text given as bytes.
  @inline(__always)
  mutating func add(_ bytes: UnsafeRawBufferPointer) {
    sum &+= UInt64(bytes.count) &+ UInt64(bytes.first ?? 0) &<< 8
  }

  @inline(__always)
  mutating func add(_ uuid: uuid_t) { sum &+= UInt64(uuid.0) &+ UInt64(uuid.15) }

  /// Adds a result and its position, where the order matters.
  @inline(__always)
  mutating func add(_ number: Double, place: Int) {
    sum &+= number.bitPattern &* UInt64(truncatingIfNeeded: 2 &* place &+ 1)
  }

  /// Adds an average without its last digits: engines add doubles in different orders, so these digits differ.
  mutating func add(average: Double) { add(Int((average * 1e6).rounded())) }
}

extension Checksum {
  /// Adds all properties of a person.
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

  /// Adds all properties of a plain object.
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
  /// Adds the checksum of another part of the work.
  mutating func add(_ other: Checksum) { sum &+= other.sum }
}
