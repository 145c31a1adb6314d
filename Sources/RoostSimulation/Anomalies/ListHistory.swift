// SPDX-License-Identifier: Apache-2.0

/// What one transaction of the anomaly workload did: which lists it saw, what it appended, and how it ended.
///
/// Every value is appended by one transaction only, so a list says which transactions wrote it, and in which order.
package struct ListTransaction: Sendable, Hashable, Codable {
  /// A list as it was seen.
  package struct Read: Sendable, Hashable, Codable {
    package var key: Int
    package var values: [Int]

    package init(_ key: Int, _ values: [Int]) {
      self.key = key
      self.values = values
    }
  }

  /// A value that was put at the end of a list.
  package struct Append: Sendable, Hashable, Codable {
    package var key: Int
    package var value: Int

    package init(_ key: Int, _ value: Int) {
      self.key = key
      self.value = value
    }
  }

  /// How a transaction ended.
  package enum Outcome: String, Sendable, Hashable, Codable {
    /// The save returned.
    case committed
    /// The save was refused.
    case aborted
    /// The save threw, and it is not known whether it was written.
    case unknown
  }

  package var reads: [Read]
  package var appends: [Append]
  package var outcome: Outcome

  package init(
    reads: [Read] = [], appends: [Append] = [], outcome: Outcome = .committed
  ) {
    self.reads = reads
    self.appends = appends
    self.outcome = outcome
  }
}

/// What must not happen to transactions: the names are those of Adya's thesis and of the tests that came after it.
package enum Anomaly: String, Sendable, Hashable, CaseIterable {
  /// Two transactions overwrote each other's parts.
  case dirtyWrite = "G0"
  /// A value was seen whose transaction was not committed.
  case abortedRead = "G1a"
  /// A value was seen that its transaction had not finished.
  case intermediateRead = "G1b"
  /// Transactions saw each other's values in a circle.
  case circularFlow = "G1c"
  /// An acknowledged value is gone.
  case lostUpdate = "P4"
  /// A transaction saw a part of another one, and missed a part of it.
  case readSkew = "G-single"
  /// Transactions each decided on what the others changed.
  case writeSkew = "G2-item"
  /// A list was seen that was never the beginning of the list.
  case fork = "incompatible orders"

  /// What the error policy prevents, whatever else is done.
  package static let alwaysForbidden: Set<Anomaly> = [
    .dirtyWrite, .abortedRead, .intermediateRead, .circularFlow, .lostUpdate, .fork,
  ]
}
