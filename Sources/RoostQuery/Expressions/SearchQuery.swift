// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// What a full-text search asks for: words that must all occur, beginnings of words, and phrases.
///
/// `wild goose` asks for both words, wherever they are; `goo*` for a word that begins so; `"wild goose"` for the two
/// one after another. What is written in one piece and has several words, as `e-mail` or `東京`, is a phrase as well.
/// Words are those of ``SearchWords``, so case, width and diacritics are ignored. A query without a word matches
/// nothing, and everything has the score 0.
///
/// ```swift
/// let query = SearchQuery("wild goo*")
/// query.matches("The goose is WILD")  // true
/// query.score(of: "The goose is WILD") > query.score(of: "A gooseberry that grows in the wild of the north")  // true
/// ```
public struct SearchQuery: Sendable, Hashable, CustomStringConvertible {
  /// How many words a query may have; a request with more throws `limitExceeded`.
  public static let largestWordCount = 64

  /// What was asked, as it was written.
  public let text: String
  /// What must occur, each once.
  package let terms: [Term]

  /// Words that must occur one after another.
  package struct Term: Sendable, Hashable {
    package var words: [String]
    /// Whether the last of the words is the beginning of one.
    package var isPrefix: Bool
  }

  /// Reads a query. Every text is one: a quotation mark that is not closed reaches to the end. A request with more
  /// than 64 words is refused, and such a query matches no text.
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
      // The rest is not looked at: such a query is refused.
      if terms.count > Self.largestWordCount { break }
    }
    self.terms = terms
  }

  /// Whether the query has no word, so that it matches nothing.
  public var isEmpty: Bool { terms.isEmpty }
  /// What was asked, as it was written.
  public var description: String { text }

  var wordCount: Int { terms.reduce(0) { $0 + $1.words.count } }

  /// The query of a request.
  ///
  /// - Throws: `limitExceeded` for one of more than ``largestWordCount`` words.
  func checked(key: String? = nil) throws -> SearchQuery {
    guard wordCount <= Self.largestWordCount else {
      throw PersistenceError(
        .limitExceeded, "A search has more than \(Self.largestWordCount) words.", key: key)
    }
    return self
  }

  /// Whether a star directly follows the last word of a piece; other punctuation after it does not count.
  private static func isPrefix(_ piece: Substring) -> Bool {
    guard let end = piece.lastIndex(where: { $0 == "*" || $0.isLetter || $0.isNumber }),
      piece[end] == "*"
    else { return false }
    let word = piece[...end].last { $0 != "*" }
    return word.map { $0.isLetter || $0.isNumber } ?? false
  }

  /// What stands between spaces or within quotation marks, and whether a star follows.
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
  /// Whether everything that is asked for occurs in a text.
  ///
  /// - Complexity: O(*n*) in the length of the text, times that of the query.
  public func matches(_ text: String) -> Bool {
    guard !terms.isEmpty, wordCount <= Self.largestWordCount else { return false }
    let words = SearchWords(of: text)
    return terms.allSatisfy { $0.occurrences(in: words, atMost: 1) > 0 }
  }

  /// How well a text answers the query: 0 when it does not match, else the sum, over the words and phrases of the
  /// query, of 2.2 *f* / (*f* + 0.3 + 0.009 *n*), where *f* says how often it occurs and *n* how many words the text
  /// has. Nothing but the text counts, so the score is the same number in every store.
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

  /// The score of a value; nil has none, as what is no text.
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
