// SPDX-License-Identifier: Apache-2.0

import Foundation

/// String folding for comparisons that ignore case (`[c]`) or diacritics (`[d]`): one implementation for all stores,
/// so that they agree.
///
/// Case: each character is replaced by its full case folding of the Unicode standard, so “Straße” and “STRASSE” are
/// the same; the dotless ı stays apart from i. Diacritics: the combining marks of Latin, Greek and Cyrillic letters
/// are removed, so “é” is “e” and “й” is “и”; letters that only look alike (ø, ł) and the vowel signs of other
/// scripts stay. Strings that are canonically equivalent fold to the same bytes (normalisation form C). The locale
/// has no influence.
///
/// ```swift
/// StringFolding.fold("Crème BRÛLÉE", [.caseInsensitive, .diacriticInsensitive])   // "creme brulee"
/// ```
public enum StringFolding {
  /// The differences to ignore.
  ///
  /// ```swift
  /// StringFolding.areEqual("Zoë", "ZOE", [.caseInsensitive, .diacriticInsensitive])  // true
  /// ```
  public struct Options: OptionSet, Sendable, Hashable {
    /// The bits, those of a predicate's options.
    public let rawValue: Int

    /// Makes options from bits.
    public init(rawValue: Int) {
      self.rawValue = rawValue
    }

    /// `[c]`: letters of different case are the same.
    public static let caseInsensitive = Options(rawValue: 1)
    /// `[d]`: letters with and without diacritics are the same.
    public static let diacriticInsensitive = Options(rawValue: 2)
  }

  /// The version of the folding, for stores that keep folded strings; changes whenever strings fold differently.
  public static let version = 1

  /// Returns the folded string.
  ///
  /// - Complexity: O(*n*); ASCII, and Latin, Greek and Cyrillic letters in one piece, are much faster than others.
  public static func fold(_ string: String, _ options: Options) -> String {
    let options = options.intersection([.caseInsensitive, .diacriticInsensitive])
    if options.isEmpty { return string }
    if let folded = foldASCII(string, options) { return folded }
    return foldCommonLetters(string, options) ?? foldAny(string, options)
  }

  /// Whether two strings are equal under the options.
  public static func areEqual(_ left: String, _ right: String, _ options: Options) -> Bool {
    UTF8Order.areEqual(fold(left, options), fold(right, options))
  }
}

// MARK: - Fast paths

extension StringFolding {
  /// Folds an ASCII string; nil for any other string.
  private static func foldASCII(_ string: String, _ options: Options) -> String? {
    var hasCapitals = false
    for byte in string.utf8 {
      if byte >= 0x80 { return nil }
      if byte &- 0x41 < 26 { hasCapitals = true }
    }
    guard hasCapitals, options.contains(.caseInsensitive) else { return string }
    return String(unsafeUninitializedCapacity: string.utf8.count) { buffer in
      var count = 0
      for byte in string.utf8 {
        buffer[count] = byte &- 0x41 < 26 ? byte | 0x20 : byte
        count += 1
      }
      return count
    }
  }

  /// Folds a string whose scalars are all precomposed characters below U+0530; nil for other strings. No such
  /// character combines with its neighbours, so each is folded by a table lookup.
  private static func foldCommonLetters(_ string: String, _ options: Options) -> String? {
    let table = tables[options.rawValue]
    var result = ""
    result.reserveCapacity(string.utf8.count)
    for scalar in string.unicodeScalars {
      let value = Int(scalar.value)
      guard value < table.count, !isMark(scalar) else { return nil }
      result += table[value]
    }
    return result
  }

  /// The folding of each scalar below U+0530, for each combination of options.
  private static let tables: [[String]] = (0..<4).map { rawValue in
    if rawValue == 0 { return [] }
    return (0..<0x530 as Range<UInt32>).map { value in
      guard let scalar = Unicode.Scalar(value) else { return "" }
      return foldAny(String(scalar), Options(rawValue: rawValue))
    }
  }
}

// MARK: - The rule

extension StringFolding {
  /// Folds any string: decomposes it, removes marks, folds the case of each scalar, and composes it again.
  static func foldAny(_ string: String, _ options: Options) -> String {
    var folded = String.UnicodeScalarView()
    for scalar in string.decomposedStringWithCanonicalMapping.unicodeScalars {
      if options.contains(.diacriticInsensitive), isMark(scalar) { continue }
      if options.contains(.caseInsensitive) {
        appendCaseFolding(of: scalar, to: &folded)
      } else {
        folded.append(scalar)
      }
    }
    return String(folded).precomposedStringWithCanonicalMapping
  }

  /// Appends the full case folding of a scalar: lower case of the upper case of the lower case, which unifies letters
  /// with several forms (σ and ς, ß and ẞ, K and the Kelvin sign).
  private static func appendCaseFolding(
    of scalar: Unicode.Scalar, to result: inout String.UnicodeScalarView
  ) {
    if scalar == "\u{131}" {
      result.append(scalar)
      return
    }
    for lower in scalar.properties.lowercaseMapping.unicodeScalars {
      for upper in lower.properties.uppercaseMapping.unicodeScalars {
        result.append(contentsOf: upper.properties.lowercaseMapping.unicodeScalars)
      }
    }
  }

  /// Whether a scalar is a combining mark of the blocks that Latin, Greek and Cyrillic letters use.
  private static func isMark(_ scalar: Unicode.Scalar) -> Bool {
    switch scalar.value {
    case 0x300...0x36F, 0x483...0x489, 0x1AB0...0x1AFF, 0x1DC0...0x1DFF, 0x20D0...0x20FF,
      0xFE20...0xFE2F:
      true
    default: false
    }
  }
}
