// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

/// Matches a text with a regular expression, within a step limit.
///
/// A pattern such as `(a+)+b` causes catastrophic backtracking: each further character doubles the work. The engine
/// reports its progress after a fixed number of steps, so the limit is a number of steps, the same on every machine
/// and in every store.
enum BoundedMatch {
  /// The maximum number of progress reports, each after about ten thousand steps: a base for short texts, and one
  /// more per number of code units.
  private static let reports = 25
  private static let codeUnitsPerReport = 2_000

  /// Whether an anchored expression matches a text.
  ///
  /// - Throws: `limitExceeded` when the match takes too many steps, or more memory than the engine allows.
  static func matches(_ text: String, _ expression: NSRegularExpression) throws -> Bool {
    let length = text.utf16.count
    let allowed = reports + length / codeUnitsPerReport
    var count = 0
    var isMatch = false
    var hasFailed = false
    expression.enumerateMatches(
      in: text, options: [.reportProgress, .reportCompletion],
      range: NSRange(location: 0, length: length)
    ) { result, flags, stop in
      if flags.contains(.internalError) { hasFailed = true }
      if result != nil {
        isMatch = true
        stop.pointee = true
      } else if flags.contains(.progress) {
        count += 1
        guard count > allowed else { return }
        hasFailed = true
        stop.pointee = true
      }
    }
    if isMatch { return true }
    guard hasFailed else { return false }
    throw PersistenceError(.limitExceeded, StringMatcher.limitMessage)
  }
}
