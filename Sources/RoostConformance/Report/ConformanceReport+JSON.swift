// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostConformanceKit

extension ConformanceReport {
  /// Returns the report as JSON: stable keys, cases in the order of the catalogue.
  ///
  /// - Throws: The errors of the encoder.
  public func json() throws -> Data {
    let encoder = JSONEncoder()
    encoder.outputFormatting = [.prettyPrinted, .sortedKeys, .withoutEscapingSlashes]
    return try encoder.encode(Document(self))
  }

  private struct Document: Encodable {
    let store: String
    let mode: String
    let conforming: Bool
    let claims: [String]
    let complaints: [String]
    let topics: [String: Tally]
    let cases: [Entry]

    init(_ report: ConformanceReport) {
      store = report.storeName
      mode = report.mode.rawValue
      conforming = report.isConforming
      claims = report.claims.map(\.rawValue).sorted()
      complaints = report.complaints
      var tallies: [String: Tally] = [:]
      for topic in ConformanceTopic.allCases { tallies[topic.rawValue] = report.tally(of: topic) }
      topics = tallies
      cases = report.results.map(Entry.init)
    }
  }

  private struct Entry: Encodable {
    let id: String
    let title: String
    let outcome: String
    let reason: String?

    init(_ result: Result) {
      id = result.id
      title = result.title
      switch result.outcome {
      case .passed: (outcome, reason) = ("passed", nil)
      case .refused: (outcome, reason) = ("refused", nil)
      case .leftOut(let text): (outcome, reason) = ("left out", text)
      case .knownDefect(let text): (outcome, reason) = ("known defect", text)
      case .failed(let text): (outcome, reason) = ("failed", text)
      }
    }
  }
}
