// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

/// A compiled string comparison with a fixed right side, with the same result in every store.
///
/// A store whose engine evaluates comparisons calls it from a function registered in the engine.
///
/// ```swift
/// let matcher = try StringMatcher(.like, "a*", options: [.caseInsensitive])
/// try matcher.matches("Ada")  // true
/// ```
public struct StringMatcher: Sendable {
  private let kind: Kind
  private let options: ComparisonPredicate.Options

  private enum Kind: Sendable {
    case order(ComparisonPredicate.Comparison, String)
    case prefix([UInt8])
    case suffix([UInt8])
    case infix([UInt8])
    case like(LikePattern)
    case regularExpression(NSRegularExpression)
    case locale(ComparisonPredicate.Comparison, String)
    case search(SearchQuery)
  }

  /// Compiles a comparison.
  ///
  /// - Parameters:
  ///   - comparison: Any comparison except `IN` and `BETWEEN`.
  ///   - pattern: The right side.
  ///   - options: The differences to ignore.
  /// - Throws: `invalidPredicate` for an invalid regular expression, and for `IN` and `BETWEEN`; `limitExceeded` for
  ///   a search of too many words.
  /// - Complexity: O(*n*) in the length of the pattern.
  public init(
    _ comparison: ComparisonPredicate.Comparison, _ pattern: String,
    options: ComparisonPredicate.Options = []
  ) throws {
    self.options = options
    if comparison == .search {
      kind = .search(try SearchQuery(pattern).checked())
      return
    }
    if options.contains(.localeSensitive), comparison != .like, comparison != .matches {
      kind = .locale(comparison, pattern)
      return
    }
    let folded = options.folding(pattern)
    switch comparison {
    case .equalTo, .notEqualTo, .lessThan, .lessThanOrEqualTo, .greaterThan, .greaterThanOrEqualTo:
      kind = .order(comparison, folded)
    case .beginsWith: kind = .prefix(Array(folded.utf8))
    case .endsWith: kind = .suffix(Array(folded.utf8))
    case .contains: kind = .infix(Array(folded.utf8))
    case .like: kind = .like(LikePattern(folded))
    case .matches:
      kind = .regularExpression(try RegularExpressionCache.expression(pattern, options: options))
    case .in, .between, .search:
      throw PersistenceError(
        .invalidPredicate,
        "\(comparison.rawValue) compares with several values, not with one string")
    }
  }

  /// The error message for a regular expression that exceeds the step limit of a match.
  package static let limitMessage =
    "Matching a text with the regular expression of the request takes too many steps; write the pattern so that it "
    + "divides a text in one way only, as “a+b” instead of “(a+)+b”."

  /// Whether a string satisfies the comparison.
  ///
  /// - Throws: `limitExceeded` for a regular expression that backtracks more often than a match may; other
  ///   comparisons do not throw.
  /// - Complexity: O(*n*) in the length of the text; for LIKE times the length of the pattern; bounded for MATCHES.
  public func matches(_ text: String) throws -> Bool {
    guard case .regularExpression(let expression) = kind else { return accepts(text) }
    return try Self.matches(text, expression, options)
  }

  /// Whether a string satisfies a comparison other than MATCHES.
  func accepts(_ text: String) -> Bool {
    switch kind {
    case .order(let comparison, let right):
      comparison.accepts(UTF8Order.compare(options.folding(text), right))
    case .prefix(let bytes): folded(text) { $0.starts(with: bytes) }
    case .suffix(let bytes): folded(text) { Self.ends($0, with: bytes) }
    case .infix(let bytes): folded(text) { Self.contains($0, bytes) }
    case .like(let pattern): folded(text) { pattern.matches($0) }
    case .regularExpression: false
    case .search(let query): query.matches(text)
    case .locale(let comparison, let right): Self.matchesInLocale(text, comparison, right, options)
    }
  }

  /// Whether a whole string matches a regular expression, as in validation.
  ///
  /// - Throws: `invalidPredicate` when the expression is invalid, `limitExceeded` when it takes too many steps.
  /// - Complexity: Compiled expressions are cached.
  public static func matches(_ text: String, pattern: String) throws -> Bool {
    try matches(text, RegularExpressionCache.expression(pattern, options: []), [])
  }

  private func folded(_ text: String, _ body: (UnsafeBufferPointer<UInt8>) -> Bool) -> Bool {
    var text = options.folding(text)
    return text.withUTF8(body)
  }

  private static func ends(_ text: UnsafeBufferPointer<UInt8>, with bytes: [UInt8]) -> Bool {
    guard text.count >= bytes.count else { return false }
    return text[(text.count - bytes.count)...].elementsEqual(bytes)
  }

  private static func contains(_ text: UnsafeBufferPointer<UInt8>, _ bytes: [UInt8]) -> Bool {
    guard let first = bytes.first else { return true }
    guard text.count >= bytes.count, let base = text.baseAddress else { return false }
    return bytes.withUnsafeBufferPointer { needle in
      var start = 0
      let last = text.count - needle.count
      while start <= last, let found = memchr(base + start, Int32(first), last - start + 1) {
        let place = UnsafePointer(found.assumingMemoryBound(to: UInt8.self))
        if memcmp(place, needle.baseAddress!, needle.count) == 0 { return true }
        start = base.distance(to: place) + 1
      }
      return false
    }
  }

  private static func matches(
    _ text: String, _ expression: NSRegularExpression, _ options: ComparisonPredicate.Options
  ) throws -> Bool {
    try BoundedMatch.matches(
      options.contains(.diacriticInsensitive) ? options.folding(text) : text, expression)
  }

  private static func matchesInLocale(
    _ text: String, _ comparison: ComparisonPredicate.Comparison, _ right: String,
    _ options: ComparisonPredicate.Options
  ) -> Bool {
    var compare: String.CompareOptions = []
    if options.contains(.caseInsensitive) { compare.insert(.caseInsensitive) }
    if options.contains(.diacriticInsensitive) { compare.insert(.diacriticInsensitive) }
    switch comparison {
    case .beginsWith: compare.insert(.anchored)
    case .endsWith: compare.formUnion([.anchored, .backwards])
    case .contains: break
    default:
      let order = text.compare(right, options: compare, range: nil, locale: .current)
      return comparison.accepts(order.rawValue)
    }
    return right.isEmpty || text.range(of: right, options: compare, locale: .current) != nil
  }
}

extension ComparisonPredicate.Comparison {
  /// Whether the order of two values satisfies an equality or ordering comparison.
  @inline(__always)
  func accepts(_ order: Int) -> Bool {
    switch self {
    case .equalTo: order == 0
    case .notEqualTo: order != 0
    case .lessThan: order < 0
    case .lessThanOrEqualTo: order <= 0
    case .greaterThan: order > 0
    case .greaterThanOrEqualTo: order >= 0
    default: false
    }
  }
}

extension ComparisonPredicate.Options {
  /// The options for string folding; the bits are the same.
  var stringFolding: StringFolding.Options {
    StringFolding.Options(rawValue: rawValue).intersection([
      .caseInsensitive, .diacriticInsensitive,
    ])
  }

  /// Returns a string folded by the options.
  func folding(_ text: String) -> String {
    StringFolding.fold(text, stringFolding)
  }
}
