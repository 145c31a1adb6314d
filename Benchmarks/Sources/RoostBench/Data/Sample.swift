// SPDX-License-Identifier: Apache-2.0

import Foundation

/// One person of the data, the same for every program that is measured.
struct Sample {
  let name: String
  let email: String
  let age: Int32
  let score: Double
  /// Seconds since 2001.
  let created: Double
  let active: Bool
  let uuid: UUID
  let bio: String
  /// The number of the department, from 0.
  let department: Int

  /// - Parameters:
  ///   - index: The number of the person, from 0.
  ///   - departments: The number of departments.
  init(_ index: Int, departments: Int) {
    name = "Person number \(index)"
    email = "person.\(index)@example.org.invalid"
    age = Int32(Scramble.below(90, index, 1))
    score = Self.score(index, generation: 0)
    created = Double(index) * 60.5
    active = Scramble.bits(index, 2) & 1 == 0
    let high = Scramble.bits(index, 4)
    let low = Scramble.bits(index, 5)
    uuid = withUnsafeBytes(of: (high, low)) { UUID(uuid: $0.loadUnaligned(as: uuid_t.self)) }
    bio = "Was number \(index) of a long list, " + Self.phrase
    department = Scramble.below(departments, index, 6)
  }

  /// The name of a department.
  static func departmentName(_ index: Int) -> String { "Department of number \(index)" }

  /// A score from 0 up to 100 with 53 random bits, so that no two are equal.
  ///
  /// - Parameter generation: The number of changes of the score so far.
  static func score(_ index: Int, generation: Int) -> Double {
    Double(Scramble.bits(index, UInt64(3 + 16 * generation)) >> 11) * 0x1p-53 * 100
  }

  private static let phrase = "and has lived through many changes of every kind since then."
}
