// SPDX-License-Identifier: Apache-2.0

/// Makes a text that matches a simple pattern: literals, classes, groups, alternatives and quantifiers. The text is
/// checked with the pattern before it is used, so that one made after a pattern of another kind does no harm.
struct PatternSample {
  private let pattern: [Character]
  private var place = 0
  /// Turns from 0 to the next at each class, so that objects get different texts.
  private var variety: Int
  private var isKnown = true
  private static let longest = 1_000
  private static let deepest = 32

  init(_ pattern: String, _ number: Int) {
    self.pattern = Array(pattern)
    variety = number
  }

  /// Returns the text; nil when the pattern has unsupported parts.
  mutating func make() -> String? {
    let text = alternatives(depth: 0)
    return isKnown && place == pattern.count ? text : nil
  }

  private var next: Character? { place < pattern.count ? pattern[place] : nil }

  private mutating func take() -> Character? {
    guard let character = next else { return nil }
    place += 1
    return character
  }

  /// Returns a text for the first alternative; the others are skipped.
  private mutating func alternatives(depth: Int) -> String {
    let text = sequence(depth: depth)
    while isKnown, next == "|" {
      place += 1
      _ = sequence(depth: depth)
    }
    return text
  }

  private mutating func sequence(depth: Int) -> String {
    var text = ""
    while isKnown, let character = next, character != "|", character != ")" {
      let choices = atom(depth: depth)
      let count = quantifier()
      guard isKnown, text.count + count <= Self.longest else {
        isKnown = false
        return ""
      }
      for _ in 0..<count { text += choice(of: choices) }
    }
    return text
  }

  private mutating func choice(of choices: [String]) -> String {
    guard choices.count > 1 else { return choices.first ?? "" }
    let choice = choices[variety % choices.count]
    variety /= choices.count
    return choice
  }

  /// Returns samples for one atom of the pattern.
  private mutating func atom(depth: Int) -> [String] {
    switch take() {
    case "^", "$": return [""]
    case ".": return Self.letters
    case "[": return members()
    case "\\": return escape(take())
    case "(":
      guard depth < Self.deepest else { break }
      if next == "?" {
        place += 1
        guard take() == ":" else { break }
      }
      let text = alternatives(depth: depth + 1)
      guard take() == ")" else { break }
      return [text]
    case "*", "+", "?", "{", nil: break
    case let character?: return [String(character)]
    }
    isKnown = false
    return []
  }

  private mutating func escape(_ character: Character?) -> [String] {
    switch character {
    case "d": return Self.digits
    case "w": return Self.letters
    case "s": return [" "]
    case "b": return [""]
    case let character? where !character.isLetter && !character.isNumber:
      return [String(character)]
    default:
      isKnown = false
      return []
    }
  }

  /// Returns the members of a character class. A negated class gives a letter, which the pattern may reject.
  private mutating func members() -> [String] {
    let excludes = next == "^"
    if excludes { place += 1 }
    var members: [String] = []
    while let character = take() {
      if character == "]", !members.isEmpty { return excludes ? Self.letters : members }
      guard character != "[" else { break }
      if character == "\\" {
        members += escape(take())
      } else if next == "-", place + 1 < pattern.count, pattern[place + 1] != "]" {
        place += 1
        guard let first = character.asciiValue, let last = take()?.asciiValue, first <= last else {
          break
        }
        members += (first...last).map { String(Character(Unicode.Scalar($0))) }
      } else {
        members.append(String(character))
      }
    }
    isKnown = false
    return []
  }

  /// Returns the number of repetitions of the last atom: the minimum, but at least one for an unlimited quantifier.
  private mutating func quantifier() -> Int {
    var count = 1
    switch next {
    case "?", "+", "*": place += 1
    case "{":
      place += 1
      var digits = ""
      while let character = take(), character != "}" { digits.append(character) }
      let bounds = digits.split(separator: ",", omittingEmptySubsequences: false)
      guard let least = bounds.first.flatMap({ Int($0) }), least >= 0 else {
        isKnown = false
        return 0
      }
      count = least
    default: return 1
    }
    // A lazy or possessive quantifier has the same meaning here.
    if next == "?" || next == "+" { place += 1 }
    return count
  }

  private static let digits = (0...9).map(String.init)
  private static let letters = "abcdefghijklmnopqrstuvwxyz".map(String.init)
}
