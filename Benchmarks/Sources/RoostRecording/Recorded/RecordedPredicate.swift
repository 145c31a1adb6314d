// SPDX-License-Identifier: Apache-2.0

import Roost

/// A condition in a recording: a tree of names.
indirect enum RecordedPredicate: Codable {
  case constant(Bool)
  case comparison(
    RecordedExpression, String, RecordedExpression, modifier: String, options: Int)
  case and([RecordedPredicate])
  case or([RecordedPredicate])
  case not(RecordedPredicate)

  init(_ predicate: ResolvedPredicate, in store: StoreIdentity) throws {
    switch predicate {
    case .constant(let truth): self = .constant(truth)
    case .comparison(let comparison):
      let modifier =
        switch comparison.modifier {
        case .direct: "direct"
        case .all: "all"
        case .any: "any"
        }
      self = .comparison(
        try RecordedExpression(comparison.left, in: store), comparison.comparison.rawValue,
        try RecordedExpression(comparison.right, in: store), modifier: modifier,
        options: comparison.options.rawValue)
    case .and(let parts): self = .and(try parts.map { try RecordedPredicate($0, in: store) })
    case .or(let parts): self = .or(try parts.map { try RecordedPredicate($0, in: store) })
    case .not(let part): self = .not(try RecordedPredicate(part, in: store))
    }
  }

  func resolved(_ names: ReplayNames) throws -> ResolvedPredicate {
    switch self {
    case .constant(let truth): return .constant(truth)
    case .comparison(let left, let word, let right, let modifier, let options):
      guard let comparison = ComparisonPredicate.Comparison(rawValue: word) else {
        throw RecordingError("The recording compares with \(word), which is unknown.")
      }
      return .comparison(
        ResolvedComparison(
          left: try left.resolved(names), comparison: comparison, right: try right.resolved(names),
          modifier: modifier == "all" ? .all : modifier == "any" ? .any : .direct,
          options: .init(rawValue: options)))
    case .and(let parts): return .and(try parts.map { try $0.resolved(names) })
    case .or(let parts): return .or(try parts.map { try $0.resolved(names) })
    case .not(let part): return .not(try part.resolved(names))
    }
  }
}
