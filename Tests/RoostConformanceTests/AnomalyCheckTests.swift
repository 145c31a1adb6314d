// SPDX-License-Identifier: Apache-2.0

import RoostConformance
import Testing

/// Hand-written transaction histories: the check must find the anomaly of each, so that a clean result is meaningful.
@Suite("What the check of transactions notices")
struct AnomalyCheckTests {
  private typealias Transaction = ListTransaction

  private func found(
    _ history: [ListTransaction], _ final: [Int: [Int]]
  ) -> Set<Anomaly> {
    Set(ListHistoryCheck(history, final: final).found.keys)
  }

  @Test("nothing, where one came after the other")
  func serial() {
    let history = [
      Transaction(reads: [.init(0, [])], appends: [.init(0, 1), .init(1, 2)]),
      Transaction(reads: [.init(0, [1]), .init(1, [2])], appends: [.init(0, 3)]),
      Transaction(reads: [.init(0, [1])], appends: [.init(0, 4)], outcome: .aborted),
      Transaction(reads: [.init(0, [1, 3])], appends: [.init(1, 5)], outcome: .unknown),
    ]
    #expect(found(history, [0: [1, 3], 1: [2]]) == [])
    #expect(found(history, [0: [1, 3], 1: [2, 5]]) == [])
  }

  @Test("two that overwrote each other's parts (G0)")
  func dirtyWrite() {
    let history = [
      Transaction(appends: [.init(0, 1), .init(1, 2)]),
      Transaction(appends: [.init(0, 3), .init(1, 4)]),
    ]
    #expect(found(history, [0: [1, 3], 1: [4, 2]]).contains(.dirtyWrite))
  }

  @Test("a value of a transaction that was aborted, seen or stored (G1a)")
  func abortedRead() {
    let aborted = Transaction(appends: [.init(0, 1)], outcome: .aborted)
    #expect(found([aborted], [0: [1]]) == [.abortedRead])
    let reader = Transaction(reads: [.init(0, [1])])
    #expect(found([aborted, reader], [0: []]).contains(.abortedRead))
    #expect(found([], [0: [7]]) == [.abortedRead])
  }

  @Test("a value that its transaction went on from (G1b)")
  func intermediateRead() {
    let history = [
      Transaction(appends: [.init(0, 1), .init(0, 2)]), Transaction(reads: [.init(0, [1])]),
    ]
    #expect(found(history, [0: [1, 2]]).contains(.intermediateRead))
  }

  @Test("two that saw each other's values (G1c)")
  func circularFlow() {
    let history = [
      Transaction(reads: [.init(1, [2])], appends: [.init(0, 1)]),
      Transaction(reads: [.init(0, [1])], appends: [.init(1, 2)]),
    ]
    #expect(found(history, [0: [1], 1: [2]]).contains(.circularFlow))
  }

  @Test("an acknowledged value that is gone (P4)")
  func lostUpdate() {
    let history = [
      Transaction(reads: [.init(0, [])], appends: [.init(0, 1)]),
      Transaction(reads: [.init(0, [])], appends: [.init(0, 2)]),
    ]
    #expect(found(history, [0: [2]]) == [.lostUpdate])
  }

  @Test("a transaction of which a part was seen (G-single)")
  func readSkew() {
    let history = [
      Transaction(appends: [.init(0, 1), .init(1, 2)]),
      Transaction(reads: [.init(0, []), .init(1, [2])]),
    ]
    #expect(found(history, [0: [1], 1: [2]]) == [.readSkew])
  }

  @Test("two that each decided on what the other changed (G2)")
  func writeSkew() {
    let history = [
      Transaction(reads: [.init(0, []), .init(1, [])], appends: [.init(0, 1)]),
      Transaction(reads: [.init(0, []), .init(1, [])], appends: [.init(1, 2)]),
    ]
    #expect(found(history, [0: [1], 1: [2]]) == [.writeSkew])
  }

  @Test("lists that were never the beginning of the list")
  func fork() {
    let history = [
      Transaction(appends: [.init(0, 1)]), Transaction(appends: [.init(0, 2)]),
      Transaction(reads: [.init(0, [2, 1])]),
    ]
    #expect(found(history, [0: [1, 2]]).contains(.fork))
    #expect(found(Array(history.prefix(2)), [0: [1, 2, 1]]).contains(.fork))
  }
}
