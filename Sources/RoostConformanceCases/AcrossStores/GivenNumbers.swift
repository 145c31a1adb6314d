// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit
import RoostStore
import Synchronization

/// The numbers that several callers were given for records of another store.
final class GivenNumbers: Sendable {
  private let given = Mutex<[ForeignReference: Set<Int64>]>([:])

  func add(_ references: [ForeignReference], _ numbers: [Int64]) {
    given.withLock { given in
      for (reference, number) in zip(references, numbers) {
        given[reference, default: []].insert(number)
      }
    }
  }

  /// The numbers of references, in their order; 0 for a reference without one.
  func numbers(of references: [ForeignReference]) -> [Int64] {
    given.withLock { given in references.map { given[$0]?.first ?? 0 } }
  }

  /// Throws unless so many records were given one number each, and no two the same.
  func check(count: Int) throws {
    let given = given.withLock { $0 }
    try expectEqual(given.count, count, "records with a number")
    try expect(given.values.allSatisfy { $0.count == 1 }, "each has one number")
    try expectEqual(Set(given.values.flatMap(\.self)).count, count, "different numbers")
  }
}
