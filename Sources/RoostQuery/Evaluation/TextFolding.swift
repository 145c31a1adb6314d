// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The folding behind `[c]`, `[d]` and `canonical:`, the same in every store and on every platform.
///
/// Both ways of folding take canonically equivalent strings for the same. Letters of different case become one by the
/// Unicode mappings to upper and then to lower case, so that `ß` is `ss`; marks are those that Unicode places above,
/// below or over a letter, and the points of Hebrew and Arabic. Letters that merely look alike, as `Ø` and `O`, stay
/// different.
///
/// ```swift
/// TextFolding.fold("Straße", caseInsensitive: true, diacriticInsensitive: false)  // "strasse"
/// ```
public enum TextFolding {
  /// Returns a string without differences of case, of marks, or of both.
  ///
  /// - Complexity: O(*n*); ASCII is folded without a look at Unicode's tables.
  public static func fold(
    _ text: String, caseInsensitive: Bool, diacriticInsensitive: Bool
  ) -> String {
    guard caseInsensitive || diacriticInsensitive else { return text }
    if text.utf8.allSatisfy({ $0 < 0x80 }) {
      return caseInsensitive ? lowercasedASCII(text) : text
    }
    var result = String.UnicodeScalarView()
    for scalar in text.decomposedStringWithCanonicalMapping.unicodeScalars {
      if diacriticInsensitive, isMark(scalar) { continue }
      if caseInsensitive {
        append(scalar, to: &result)
      } else {
        result.append(scalar)
      }
    }
    return String(result)
  }

  private static func lowercasedASCII(_ text: String) -> String {
    let isUpper: (UInt8) -> Bool = { $0 >= UInt8(ascii: "A") && $0 <= UInt8(ascii: "Z") }
    guard text.utf8.contains(where: isUpper) else { return text }
    return String(decoding: text.utf8.map { isUpper($0) ? $0 | 0x20 : $0 }, as: UTF8.self)
  }

  private static func append(_ scalar: Unicode.Scalar, to result: inout String.UnicodeScalarView) {
    if scalar.isASCII {
      let isUpper = scalar.value >= 0x41 && scalar.value <= 0x5A
      result.append(isUpper ? Unicode.Scalar(UInt8(scalar.value | 0x20)) : scalar)
      return
    }
    for upper in scalar.properties.uppercaseMapping.unicodeScalars {
      result.append(contentsOf: upper.properties.lowercaseMapping.unicodeScalars)
    }
  }

  /// Marks that change how a letter is read, not which letter it is: not the signs of vowels in Indian scripts, nor the
  /// voicing of Japanese kana.
  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    guard scalar.value >= 0x300, scalar.properties.generalCategory == .nonspacingMark else {
      return false
    }
    let place = scalar.properties.canonicalCombiningClass.rawValue
    return place == 1 || place >= 10
  }
}
