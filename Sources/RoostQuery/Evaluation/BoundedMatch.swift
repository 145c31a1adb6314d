// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

/// Matches a text with a regular expression, within a bound.
///
/// A pattern as `(a+)+b` makes the engine try every way in which a text can be divided: for each character more, the
/// work doubles. The engine reports its progress after a fixed number of steps, so the bound is one of steps, the same
/// on every machine and in every store.
enum BoundedMatch {
  /// How often the engine reports progress for a text at the most, each time after about ten thousand steps: what a
  /// short text is allowed, and one more for so many code units.
  private static let reports = 25
  private static let codeUnitsPerReport = 2_000

  /// Whether an expression that stands for whole texts matches one.
  ///
  /// - Throws: `limitExceeded` when that takes too many steps, or more memory than the engine has.
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
