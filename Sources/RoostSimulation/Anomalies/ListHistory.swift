// SPDX-License-Identifier: Apache-2.0

/// A transaction of the anomaly workload: the lists that it read, the values that it appended, and its outcome.
///
/// Each value is appended by exactly one transaction, so a list shows its writers, and their order.
package struct ListTransaction: Sendable, Hashable, Codable {
  /// A list as it was read.
  package struct Read: Sendable, Hashable, Codable {
    package var key: Int
    package var values: [Int]

    package init(_ key: Int, _ values: [Int]) {
      self.key = key
      self.values = values
    }
  }

  /// A value that was appended to a list.
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
    /// The save threw an error, and its outcome is unknown.
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

/// The anomalies of transaction isolation, named as in Adya's thesis and later work.
package enum Anomaly: String, Sendable, Hashable, CaseIterable {
  /// Two transactions overwrote parts of each other's writes.
  case dirtyWrite = "G0"
  /// A value of an uncommitted transaction was read.
  case abortedRead = "G1a"
  /// An intermediate value of an unfinished transaction was read.
  case intermediateRead = "G1b"
  /// Transactions read each other's values in a cycle.
  case circularFlow = "G1c"
  /// An acknowledged write is lost.
  case lostUpdate = "P4"
  /// A transaction saw one part of another transaction, but not another part.
  case readSkew = "G-single"
  /// Transactions wrote depending on data that the others changed.
  case writeSkew = "G2-item"
  /// A list was read that is no prefix of the final list.
  case fork = "incompatible orders"

  /// The anomalies that the error policy always prevents.
  package static let alwaysForbidden: Set<Anomaly> = [
    .dirtyWrite, .abortedRead, .intermediateRead, .circularFlow, .lostUpdate, .fork,
  ]
}
