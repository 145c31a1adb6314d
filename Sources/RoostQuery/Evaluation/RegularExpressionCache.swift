// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
import Synchronization

/// A cache of compiled regular expressions, because validation uses the same few repeatedly.
enum RegularExpressionCache {
  private struct Key: Hashable {
    // Bytes, because Swift's string equality ignores differences in normalisation.
    let pattern: [UInt8]
    let options: Int
  }

  private static let capacity = 64
  private static let expressions = Mutex<[Key: NSRegularExpression]>([:])

  /// Returns the expression that matches a whole text.
  static func expression(
    _ pattern: String, options: ComparisonPredicate.Options
  ) throws -> NSRegularExpression {
    let key = Key(pattern: Array(pattern.utf8), options: options.rawValue)
    if let known = expressions.withLock({ $0[key] }) { return known }
    let expression = try compile(pattern, options)
    expressions.withLock {
      if $0.count >= capacity { $0.removeAll() }
      $0[key] = expression
    }
    return expression
  }

  private static func compile(
    _ pattern: String, _ options: ComparisonPredicate.Options
  ) throws -> NSRegularExpression {
    var settings: NSRegularExpression.Options = []
    if options.contains(.caseInsensitive) { settings.insert(.caseInsensitive) }
    let pattern =
      options.contains(.diacriticInsensitive)
      ? ComparisonPredicate.Options.diacriticInsensitive.folding(pattern) : pattern
    do {
      return try WholePattern.compile(pattern, options: settings)
    } catch {
      throw PersistenceError(
        .invalidPredicate, "the regular expression cannot be read: \(pattern)", underlying: error)
    }
  }
}
