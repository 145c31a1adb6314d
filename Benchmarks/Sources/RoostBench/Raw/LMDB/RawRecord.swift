// SPDX-License-Identifier: Apache-2.0

import Foundation

/// A person as bytes: values of fixed size at fixed offsets, then the texts. It is read in place from LMDB's memory
/// map.
struct RawRecord {
  private static let headLength = 64
  let bytes: UnsafeRawBufferPointer

  init(_ bytes: UnsafeRawBufferPointer) {
    self.bytes = bytes
  }

  @inline(__always) var score: Double { bytes.loadUnaligned(fromByteOffset: 0, as: Double.self) }
  @inline(__always) var created: Double { bytes.loadUnaligned(fromByteOffset: 8, as: Double.self) }
  @inline(__always) var uuid: uuid_t { bytes.loadUnaligned(fromByteOffset: 16, as: uuid_t.self) }
  @inline(__always) var age: Int { number(32) }
  @inline(__always) var active: Bool { number(36) != 0 }
  @inline(__always) var department: UInt64 { UInt64(number(40)) }
  @inline(__always) var name: UnsafeRawBufferPointer { text(0, number(48)) }
  @inline(__always) var email: UnsafeRawBufferPointer { text(number(48), number(52)) }
  @inline(__always) var bio: UnsafeRawBufferPointer { text(number(48) + number(52), number(56)) }

  @inline(__always)
  private func number(_ offset: Int) -> Int {
    Int(bytes.loadUnaligned(fromByteOffset: offset, as: Int32.self))
  }

  @inline(__always)
  private func text(_ start: Int, _ count: Int) -> UnsafeRawBufferPointer {
    UnsafeRawBufferPointer(
      rebasing: bytes[(Self.headLength + start)..<(Self.headLength + start + count)])
  }

  /// Returns the length in bytes of a person's record.
  static func length(_ person: Sample) -> Int {
    headLength + person.name.utf8.count + person.email.utf8.count + person.bio.utf8.count
  }

  /// Writes a person's record to its destination.
  static func write(_ person: Sample, to bytes: UnsafeMutableRawBufferPointer) {
    bytes.storeBytes(of: person.score, toByteOffset: 0, as: Double.self)
    bytes.storeBytes(of: person.created, toByteOffset: 8, as: Double.self)
    bytes.storeBytes(of: person.uuid.uuid, toByteOffset: 16, as: uuid_t.self)
    bytes.storeBytes(of: person.age, toByteOffset: 32, as: Int32.self)
    bytes.storeBytes(of: person.active ? 1 : 0, toByteOffset: 36, as: Int32.self)
    bytes.storeBytes(of: Int32(person.department + 1), toByteOffset: 40, as: Int32.self)
    var end = headLength
    for (place, text) in [(48, person.name), (52, person.email), (56, person.bio)] {
      var text = text
      text.withUTF8 { characters in
        bytes.storeBytes(of: Int32(characters.count), toByteOffset: place, as: Int32.self)
        UnsafeMutableRawBufferPointer(rebasing: bytes[end...])
          .copyMemory(from: UnsafeRawBufferPointer(characters))
        end += characters.count
      }
    }
  }

  /// Writes another score into a copy of a record.
  static func write(score: Double, to bytes: UnsafeMutableRawBufferPointer) {
    bytes.storeBytes(of: score, toByteOffset: 0, as: Double.self)
  }

  @inline(__always)
  func add(to sum: inout Checksum) {
    sum.add(name)
    sum.add(email)
    sum.add(age)
    sum.add(score)
    sum.add(created)
    sum.add(active ? 1 : 0)
    sum.add(uuid)
    sum.add(bio)
  }

  func object(id: UInt64) -> PlainPerson {
    PlainPerson(
      id: Int64(id), name: String(decoding: name, as: UTF8.self),
      email: String(decoding: email, as: UTF8.self), age: Int32(age), score: score,
      created: created, active: active, uuid: UUID(uuid: uuid),
      bio: String(decoding: bio, as: UTF8.self), department: Int64(department))
  }
}
