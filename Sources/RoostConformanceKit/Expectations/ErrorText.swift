// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// How an error reads: every error that a case expects is looked at.
package enum ErrorText {
  /// What is wrong with the text of an error; nil when it reads well.
  package static func fault(of error: PersistenceError) -> String? {
    fault(of: error.description) ?? fault(of: error.detailedDescription)
  }

  /// What is wrong with a text; nil when it reads well.
  package static func fault(of text: String) -> String? {
    if text.contains("Optional(") || text.contains("Optional<") { return "shows Swift's optionals" }
    if text.contains(/\([BF]\d+\)/) { return "shows a number that only the sources explain" }
    let lines = text.split(separator: "\n").map { $0.hasPrefix("- ") ? $0.dropFirst(2) : $0 }
    if let head = lines.first, lines.dropFirst().contains(head) { return "says one thing twice" }
    return nil
  }
}
