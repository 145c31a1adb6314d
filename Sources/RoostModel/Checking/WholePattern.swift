// SPDX-License-Identifier: Apache-2.0

package import Foundation

/// Regular expressions that match a whole text.
package enum WholePattern {
  /// Compiles an expression so that it matches whole texts only.
  ///
  /// - Throws: Foundation's error for an invalid expression.
  package static func compile(
    _ pattern: String, options: NSRegularExpression.Options = []
  ) throws -> NSRegularExpression {
    // Compile it alone first: a stray parenthesis must not close the enclosing group.
    _ = try NSRegularExpression(pattern: pattern, options: options)
    // A comment or quotation may extend to the end of the pattern, and would include the end of the group.
    for end in [")\\z", "\n)\\z"] {
      let whole = "\\A(?:\(pattern)\(end)"
      if let expression = try? NSRegularExpression(pattern: whole, options: options) {
        return expression
      }
    }
    return try NSRegularExpression(pattern: "\\A(?:\(pattern)\\E)\\z", options: options)
  }
}
