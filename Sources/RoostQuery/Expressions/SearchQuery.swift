// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// A full-text search query: words, word prefixes and phrases, all of which must occur.
///
/// `wild goose` requires both words, in any position; `goo*` a word with this prefix; `"wild goose"` the two in
/// sequence. Text without spaces that contains several words, such as `e-mail` or `東京`, is a phrase as well. Words
/// are those of ``SearchWords``, so case, width and diacritics are ignored. A query without a word matches nothing,
/// and every text has the score 0.
///
/// ```swift
/// let query = SearchQuery("wild goo*")
/// query.matches("The goose is WILD")  // true
/// query.score(of: "The goose is WILD") > query.score(of: "A gooseberry that grows in the wild of the north")  // true
/// ```
public struct SearchQuery: Sendable, Hashable, CustomStringConvertible {
  /// The maximum number of words in a query; a request with more throws `limitExceeded`.
  public static let largestWordCount = 64

  /// The query as it was written.
  public let text: String
  /// The distinct terms, all of which must occur.
  package let terms: [Term]

  /// A word, or a phrase whose words must occur in sequence.
  package struct Term: Sendable, Hashable {
    package var words: [String]
    /// Whether the last word is a prefix.
    package var isPrefix: Bool
  }

  /// Parses a query. Every text is valid: an unclosed quotation mark extends to the end. A request with more than 64
  /// words is refused, and such a query matches no text.
  ///
  /// - Complexity: O(*n*) in the length of the text.
  public init(_ text: String) {
    self.text = text
    var terms: [Term] = []
    for (piece, isPrefix) in Self.pieces(of: text) {
      let words = Array(SearchWords(of: String(piece)))
      guard !words.isEmpty else { continue }
      let term = Term(words: words, isPrefix: isPrefix)
      if !terms.contains(term) { terms.append(term) }
      // The rest is ignored, because such a query is refused.
      if terms.count > Self.largestWordCount { break }
    }
    self.terms = terms
  }

  /// Whether the query has no words, so that it matches nothing.
  public var isEmpty: Bool { terms.isEmpty }
  /// The query as it was written.
  public var description: String { text }

  var wordCount: Int { terms.reduce(0) { $0 + $1.words.count } }

  /// Returns the query after checking its size.
  ///
  /// - Throws: `limitExceeded` for more than ``largestWordCount`` words.
  func checked(key: String? = nil) throws -> SearchQuery {
    guard wordCount <= Self.largestWordCount else {
      throw PersistenceError(
        .limitExceeded, "A search has more than \(Self.largestWordCount) words.", key: key)
    }
    return self
  }

  /// Whether a star directly follows the last word of a piece; further punctuation is ignored.
  private static func isPrefix(_ piece: Substring) -> Bool {
    guard let end = piece.lastIndex(where: { $0 == "*" || $0.isLetter || $0.isNumber }),
      piece[end] == "*"
    else { return false }
    let word = piece[...end].last { $0 != "*" }
    return word.map { $0.isLetter || $0.isNumber } ?? false
  }

  /// Returns the pieces between spaces or within quotation marks, and whether a star follows.
  private static func pieces(of text: String) -> [(Substring, isPrefix: Bool)] {
    var pieces: [(Substring, isPrefix: Bool)] = []
    var rest = text[...]
    func append(_ piece: Substring) { pieces.append((piece, isPrefix(piece))) }
    while let first = rest.first {
      if first == "\"" {
        rest = rest.dropFirst()
        let phrase = rest.prefix { $0 != "\"" }
        rest = rest.dropFirst(phrase.count + 1)
        append(phrase)
        if rest.first == "*" { pieces[pieces.count - 1].isPrefix = true }
      } else if first.isWhitespace || first == "*" {
        rest = rest.dropFirst()
      } else {
        let piece = rest.prefix { !$0.isWhitespace && $0 != "\"" }
        rest = rest.dropFirst(piece.count)
        append(piece)
      }
    }
    return pieces
  }
}

// MARK: - Texts

extension SearchQuery {
  /// Whether all terms occur in a text.
  ///
  /// - Complexity: O(*n*) in the length of the text, times that of the query.
  public func matches(_ text: String) -> Bool {
    guard !terms.isEmpty, wordCount <= Self.largestWordCount else { return false }
    let words = SearchWords(of: text)
    return terms.allSatisfy { $0.occurrences(in: words, atMost: 1) > 0 }
  }

  /// Returns the relevance score of a text: 0 when it does not match, otherwise the sum, over the words and phrases
  /// of the query, of 2.2 *f* / (*f* + 0.3 + 0.009 *n*), where *f* is the number of occurrences and *n* the number of
  /// words in the text. The score depends only on the text, so it is the same in every store.
  ///
  /// - Complexity: O(*n*) in the length of the text, times that of the query.
  public func score(of text: String) -> Double {
    guard wordCount <= Self.largestWordCount else { return 0 }
    let words = SearchWords(of: text)
    var score = 0.0
    for term in terms {
      let count = Double(term.occurrences(in: words))
      if count == 0 { return 0 }
      score += 2.2 * count / (count + 0.3 + 0.009 * Double(words.count))
    }
    return score
  }

  /// Returns the score of a value; 0 for nil and for values that are not texts.
  func score(of value: Value) -> Value {
    if case .string(let text) = value { .double(score(of: text)) } else { .double(0) }
  }
}

extension SearchQuery.Term {
  fileprivate func occurrences(in text: SearchWords, atMost limit: Int = .max) -> Int {
    var count = 0
    guard text.count >= words.count else { return 0 }
    for start in 0...(text.count - words.count) where occurs(at: start, in: text) {
      count += 1
      if count == limit { break }
    }
    return count
  }

  private func occurs(at start: Int, in text: SearchWords) -> Bool {
    for (offset, word) in words.enumerated() {
      let found = text.utf8(start + offset)
      let isBeginning = isPrefix && offset == words.count - 1
      guard isBeginning ? found.starts(with: word.utf8) : found.elementsEqual(word.utf8) else {
        return false
      }
    }
    return true
  }
}
