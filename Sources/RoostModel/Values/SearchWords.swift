// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The words of a text for full-text search: tokenised alike in every store, independent of its engine.
///
/// A word is a run of letters, digits and the marks on them. Case, diacritics (as ``StringFolding`` folds them) and
/// compatibility forms (full and half width, ligatures, superscripts) are normalised. Each ideograph, kana, and
/// letter of Thai, Lao, Burmese and Khmer with its marks is a word by itself, since nothing separates the words of
/// these scripts. Invisible format characters, such as the soft hyphen, are ignored; everything else separates words.
/// Words are truncated to 64 characters. The locale has no influence.
///
/// ```swift
/// Array(SearchWords(of: "Crème-BRÛLÉE, Ｔｏｋｙｏ 東京"))  // ["creme", "brulee", "tokyo", "東", "京"]
/// ```
public struct SearchWords: RandomAccessCollection, Sendable {
  /// The version of the tokenisation, for stores that keep words; changes whenever texts get other words.
  public static let version = 1
  /// The signature of the tokenisation, for stores that keep words: its version, the version of the folding, and the
  /// Unicode version of the standard library. A store with another signature rebuilds its words.
  package static let signature = "\(version).\(StringFolding.version)-\(unicodeVersion)"

  /// The newest Unicode version in which a character of the standard library's tables was assigned. Versions assign
  /// characters in blocks, so that checking every eighth character is enough.
  private static var unicodeVersion: String {
    let ages = stride(from: UInt32(0), to: 0x3_4000, by: 8).lazy
      .compactMap { Unicode.Scalar($0)?.properties.age }
    let newest = ages.max { ($0.major, $0.minor) < ($1.major, $1.minor) }
    return newest.map { "\($0.major).\($0.minor)" } ?? "0"
  }

  /// The maximum length of a word in Unicode scalars.
  public static let longestWord = 64

  /// The bytes of all words, one after another.
  private var bytes: [UInt8] = []
  /// The end offset of each word in the bytes.
  private var ends: [Int] = []

  /// Splits a text into words.
  ///
  /// - Complexity: O(*n*) in the length of the text; ASCII is much faster than other texts.
  public init(of text: String) {
    var text = text
    if text.withUTF8({ readASCII($0) }) { return }
    bytes = []
    ends = []
    let folded = StringFolding.fold(
      text.precomposedStringWithCompatibilityMapping, [.caseInsensitive, .diacriticInsensitive])
    read(folded)
  }

  /// The index of the first word.
  public var startIndex: Int { 0 }
  /// The index after the last word.
  public var endIndex: Int { ends.count }

  /// Returns the word at an index.
  public subscript(position: Int) -> String {
    String(decoding: bytes[range(position)], as: UTF8.self)
  }

  /// Returns the UTF-8 bytes of the word at an index.
  package func utf8(_ position: Int) -> ArraySlice<UInt8> {
    bytes[range(position)]
  }

  private func range(_ position: Int) -> Range<Int> {
    (position == 0 ? 0 : ends[position - 1])..<ends[position]
  }
}

// MARK: - Reading

extension SearchWords {
  /// Reads an ASCII text; returns false for any other text.
  private mutating func readASCII(_ text: UnsafeBufferPointer<UInt8>) -> Bool {
    bytes.reserveCapacity(text.count)
    var length = 0
    for byte in text {
      if byte >= 0x80 { return false }
      let isCapital = byte &- 0x41 < 26
      guard isCapital || byte &- 0x61 < 26 || byte &- 0x30 < 10 else {
        if length > 0 { ends.append(bytes.count) }
        length = 0
        continue
      }
      if length < Self.longestWord { bytes.append(isCapital ? byte | 0x20 : byte) }
      length += 1
    }
    if length > 0 { ends.append(bytes.count) }
    return true
  }

  /// Reads a folded and normalised text.
  private mutating func read(_ text: String) {
    var length = 0
    var isWhole = false
    func end(_ words: inout SearchWords) {
      if length > 0 { words.ends.append(words.bytes.count) }
      (length, isWhole) = (0, false)
    }
    for scalar in text.unicodeScalars {
      switch Role(of: scalar) {
      case .ignored: continue
      case .separator:
        end(&self)
        continue
      case .mark where length == 0: continue
      case .mark: break
      case .letter: if isWhole { end(&self) }
      case .word:
        end(&self)
        isWhole = true
      }
      if length < Self.longestWord { bytes.append(contentsOf: UTF8.encode(scalar)!) }
      length += 1
    }
    end(&self)
  }

  /// The role of a scalar in tokenisation.
  private enum Role {
    case letter, mark, separator, ignored
    /// A word by itself, with the marks that follow.
    case word

    init(of scalar: Unicode.Scalar) {
      switch scalar.value {
      case 0x30...0x39, 0x61...0x7A: self = .letter
      case 0..<0x80, 0x200B: self = .separator
      // Variation selectors.
      case 0xFE00...0xFE0F, 0xE0100...0xE01EF: self = .ignored
      default: self.init(scalar.properties.generalCategory, scalar)
      }
    }

    private init(_ category: Unicode.GeneralCategory, _ scalar: Unicode.Scalar) {
      switch category {
      case .uppercaseLetter, .lowercaseLetter, .titlecaseLetter, .modifierLetter, .otherLetter:
        self = Self.isUnseparated(scalar) ? .word : .letter
      case .decimalNumber, .letterNumber, .otherNumber: self = .letter
      case .nonspacingMark, .spacingMark, .enclosingMark: self = .mark
      case .format: self = .ignored
      default: self = .separator
      }
    }

    /// Whether a letter belongs to a script without spaces between words.
    private static func isUnseparated(_ scalar: Unicode.Scalar) -> Bool {
      switch scalar.value {
      case 0xE00...0xEFF, 0x1000...0x109F, 0x1780...0x17FF, 0x3041...0x30FF, 0x31F0...0x31FF: true
      default: scalar.properties.isIdeographic
      }
    }
  }
}
