// SPDX-License-Identifier: Apache-2.0

/// The keywords of format strings, case-insensitive.
enum FormatWords {
  /// The reserved words; a key with one of these names is written with a leading `#`.
  static let reserved: Set<String> = [
    "ALL", "AND", "ANY", "BEGINSWITH", "BETWEEN", "CONTAINS", "ENDSWITH", "FALSE",
    "FALSEPREDICATE", "IN", "LIKE", "MATCHES", "NIL", "NO", "NONE", "NOT", "NULL", "OR", "SELF",
    "SOME", "TRUE", "TRUEPREDICATE", "YES",
  ]

  /// Whether a scalar can begin a key.
  static func isStart(_ scalar: Unicode.Scalar) -> Bool {
    if scalar.isASCII {
      return scalar == "_" || ("a"..."z").contains(scalar) || ("A"..."Z").contains(scalar)
    }
    return isWordScalar(scalar)
  }

  /// Whether a scalar can continue a key.
  static func isContinuation(_ scalar: Unicode.Scalar) -> Bool {
    isStart(scalar) || ("0"..."9").contains(scalar)
  }

  /// Whether a key can be written without `#`.
  static func isPlain(_ key: String) -> Bool {
    guard let first = key.unicodeScalars.first, isStart(first) else { return false }
    return key.unicodeScalars.allSatisfy(isContinuation)
  }

  private static func isWordScalar(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.properties.generalCategory {
    case .control, .format, .surrogate, .unassigned, .spaceSeparator, .lineSeparator,
      .paragraphSeparator:
      false
    case .openPunctuation, .closePunctuation, .initialPunctuation, .finalPunctuation,
      .otherPunctuation, .dashPunctuation, .mathSymbol:
      false
    default: true
    }
  }
}
