// SPDX-License-Identifier: Apache-2.0

import RoostConformanceKit

/// Checks a run itself: each case has exactly one result, a case is left out only with a reason, and IDs are valid.
enum ConformanceSelfCheck {
  static func complaints(
    cases: [ConformanceCase], results: [ConformanceReport.Result], defects: [String: String]
  ) -> [String] {
    var complaints = complaints(about: cases)
    var runs: [String: Int] = [:]
    for result in results { runs[result.id, default: 0] += 1 }
    for conformanceCase in cases where runs[conformanceCase.id] != 1 {
      complaints.append("\(conformanceCase.id) has \(runs[conformanceCase.id] ?? 0) results")
    }
    for case (let id, .leftOut(let reason)) in results.map({ ($0.id, $0.outcome) })
    where reason.isEmpty {
      complaints.append("\(id) is left out without a reason")
    }
    let known = Set(cases.map(\.id))
    for id in defects.keys.sorted() where !known.contains(id) {
      complaints.append("the known defect \(id) names no case")
    }
    return complaints
  }

  /// Returns the errors of the catalogue itself.
  static func complaints(about cases: [ConformanceCase]) -> [String] {
    var complaints: [String] = []
    var seen: Set<String> = []
    for conformanceCase in cases {
      let id = conformanceCase.id
      if !seen.insert(id).inserted { complaints.append("two cases are called \(id)") }
      if !id.utf8.allSatisfy(isPlain) { complaints.append("\(id) is no plain name") }
      if !id.hasPrefix(conformanceCase.topic.rawValue + ".") {
        complaints.append("\(id) does not begin with its topic")
      }
      if !citesBehaviour(conformanceCase.title) {
        complaints.append("the title of \(id) cites no behaviour")
      }
      for number in citedNumbers(conformanceCase.title) where !behaviours.contains(number) {
        complaints.append("the title of \(id) cites B\(number), and there is no such behaviour")
      }
    }
    return complaints
  }

  /// The numbers of the behaviours.
  private static let behaviours = 1...369

  private static func citedNumbers(_ title: String) -> [Int] {
    title.matches(of: /\bB(\d+)\b/).map { Int($0.output.1) ?? 0 }
  }

  private static func isPlain(_ byte: UInt8) -> Bool {
    switch byte {
    case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"),
      UInt8(ascii: "0")...UInt8(ascii: "9"), UInt8(ascii: "."), UInt8(ascii: "-"):
      true
    default: false
    }
  }

  /// Whether a title names a behaviour, or a statement on evolution, history, live results, several stores or files,
  /// by its number, or a row of the value contract.
  private static func citesBehaviour(_ title: String) -> Bool {
    title.contains("(value contract: ") || title.contains(/\(.*[BEHILMTX]\d+.*\)/)
  }
}
