// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The text of a program's statement while it is put together: tells where quotes and comments are, since an
/// interpolation in them would be no parameter, and where the statement ends.
struct StatementText {
  private enum Place: Equatable {
    case statement
    /// In quotation marks, which the same mark ends.
    case quotes(Unicode.Scalar)
    case lineComment
    case blockComment
  }

  /// The statement, without a semicolon at its end and what may follow it.
  private(set) var text = ""
  /// Whether another statement follows.
  private(set) var hasMore = false
  /// The statement's first word, in capitals: comments and opening parentheses before it do not count.
  private(set) var firstWord = ""
  private var place = Place.statement
  private var previous: Unicode.Scalar?
  private var isEnded = false
  private var isFirstWordOver = false

  /// Appends text of the program.
  mutating func append(_ piece: String) {
    for scalar in piece.unicodeScalars {
      pass(scalar)
      if !isEnded { text.unicodeScalars.append(scalar) }
    }
  }

  /// Appends a parameter, or the name of a table or a column.
  ///
  /// - Throws: `invalidRequest` in quotes and in comments.
  mutating func append(interpolated piece: String) throws {
    guard place == .statement else {
      throw PersistenceError(
        .invalidRequest,
        "An interpolation stands in quotes or in a comment, where it is no parameter: write it outside, as "
          + "LIKE \\(\"%\" + text + \"%\").")
    }
    if isEnded { hasMore = true }
    isFirstWordOver = true
    previous = nil
    if !isEnded { text += piece }
  }

  private mutating func pass(_ scalar: Unicode.Scalar) {
    let before = previous
    previous = scalar
    switch place {
    case .quotes(let mark):
      if scalar == mark { place = .statement }
    case .lineComment:
      if scalar == "\n" { place = .statement }
    case .blockComment:
      if before == "*", scalar == "/" {
        place = .statement
        previous = nil
      }
    case .statement:
      switch (before, scalar) {
      case (_, "'"), (_, "\""): place = .quotes(scalar)
      case ("-", "-"): place = .lineComment
      case ("/", "*"):
        place = .blockComment
        // The star that opens a comment does not end it as well.
        previous = nil
        return
      case (_, ";"):
        isEnded = true
        return
      default: break
      }
      note(scalar)
    }
  }

  private mutating func note(_ scalar: Unicode.Scalar) {
    // The first half of what opens a comment says nothing yet.
    let isBlank = scalar.properties.isWhitespace || scalar == "-" || scalar == "/" || scalar == "*"
    if isEnded {
      if !isBlank { hasMore = true }
    } else if !isFirstWordOver {
      if scalar.properties.isAlphabetic {
        firstWord.unicodeScalars.append(scalar)
      } else if !firstWord.isEmpty || !(isBlank || scalar == "(") {
        isFirstWordOver = true
      }
    }
  }
}
