// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// Regular expressions that match a whole text.
package enum WholePattern {
  /// Compiles an expression so that it matches whole texts only.
  ///
  /// - Throws: What Foundation throws of an expression that cannot be read.
  package static func compile(
    _ pattern: String, options: NSRegularExpression.Options = []
  ) throws -> NSRegularExpression {
    // By itself first: a stray parenthesis must not close the group around it.
    _ = try NSRegularExpression(pattern: pattern, options: options)
    // A comment or a quotation may reach to the end of the pattern, and would swallow the end of the group too.
    for end in [")\\z", "\n)\\z"] {
      let whole = "\\A(?:\(pattern)\(end)"
      if let expression = try? NSRegularExpression(pattern: whole, options: options) {
        return expression
      }
    }
    return try NSRegularExpression(pattern: "\\A(?:\(pattern)\\E)\\z", options: options)
  }
}
