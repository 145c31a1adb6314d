// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// Checks the text of an error; every error that a case expects is checked.
package enum ErrorText {
  /// Returns the fault in the text of an error; nil when there is none.
  package static func fault(of error: PersistenceError) -> String? {
    fault(of: error.description) ?? fault(of: error.detailedDescription)
  }

  /// Returns the fault in a text; nil when there is none.
  package static func fault(of text: String) -> String? {
    if text.contains("Optional(") || text.contains("Optional<") { return "shows Swift's optionals" }
    if text.contains(/\([BF]\d+\)/) { return "shows a number that only the sources explain" }
    let lines = text.split(separator: "\n").map { $0.hasPrefix("- ") ? $0.dropFirst(2) : $0 }
    if let head = lines.first, lines.dropFirst().contains(head) { return "says one thing twice" }
    return nil
  }
}
