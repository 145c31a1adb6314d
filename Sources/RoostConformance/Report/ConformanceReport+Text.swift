// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit

extension ConformanceReport {
  /// A table of topics for a person, and below it everything that is not as it should be.
  public var text: String {
    var lines = ["\(storeName) (\(mode.rawValue)), claims: \(claimNames)"]
    lines.append(Self.row(["topic", "passed", "refused", "left out", "known", "FAILED"]))
    var sum = Tally()
    for topic in ConformanceTopic.allCases {
      let tally = tally(of: topic)
      lines.append(Self.row([topic.rawValue] + Self.numbers(tally)))
    }
    for result in results { sum.add(result.outcome) }
    lines.append(Self.row(["all"] + Self.numbers(sum)))
    lines += complaints.map { "the run cannot be trusted: \($0)" }
    for result in results {
      switch result.outcome {
      case .passed, .refused, .leftOut: break
      case .knownDefect(let reason): lines.append("known: \(result.id): \(reason)")
      case .failed(let message):
        lines.append("FAILED: \(result.id): \(result.title)\n        \(message)")
      }
    }
    return lines.joined(separator: "\n")
  }

  private var claimNames: String {
    let names = claims.map(\.rawValue).sorted()
    return names.isEmpty ? "nothing" : names.joined(separator: ", ")
  }

  private static func numbers(_ tally: Tally) -> [String] {
    [tally.passed, tally.refused, tally.leftOut, tally.knownDefects, tally.failed]
      .map { $0 == 0 ? "-" : String($0) }
  }

  private static func row(_ cells: [String]) -> String {
    cells.enumerated().map { index, cell in
      let width = index == 0 ? 16 : 9
      let padding = String(repeating: " ", count: max(0, width - cell.count))
      return index == 0 ? cell + padding : padding + cell
    }.joined()
  }

  /// A table for a document: a line for each topic, a column for each store. It changes only when a store does, not
  /// with every case that is added.
  ///
  /// - Parameter reports: The reports of several stores, in one mode.
  public static func markdown(_ reports: [ConformanceReport]) -> String {
    var lines = ["| | " + reports.map(\.storeName).joined(separator: " | ") + " |"]
    lines.append("|---|" + reports.map { _ in "---|" }.joined())
    for topic in ConformanceTopic.allCases {
      let cells = reports.map { cell($0.tally(of: topic)) }
      lines.append("| \(topic.title) | " + cells.joined(separator: " | ") + " |")
    }
    return lines.joined(separator: "\n")
  }

  private static func cell(_ tally: Tally) -> String {
    var parts: [String] = []
    if tally.passed > 0 { parts.append(tally.failed > 0 ? "some" : "all") }
    if tally.refused > 0 { parts.append("\(tally.refused) refused") }
    if tally.leftOut > 0 { parts.append("\(tally.leftOut) left out") }
    if tally.knownDefects > 0 { parts.append("\(tally.knownDefects) known to fail") }
    if tally.failed > 0 { parts.append("**\(tally.failed) failed**") }
    return parts.isEmpty ? "-" : parts.joined(separator: ", ")
  }
}

extension ConformanceTopic {
  /// The name in words: `delete rules`.
  var title: String {
    rawValue.reduce(into: "") { text, letter in
      text += letter.isUppercase ? " \(letter.lowercased())" : String(letter)
    }
  }
}
