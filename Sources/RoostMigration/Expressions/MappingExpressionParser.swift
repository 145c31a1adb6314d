// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostQuery

/// Replaces the calls in an expression's text by variables, and leaves the rest to the predicate parser, which has no
/// calls.
struct MappingExpressionParser {
  private static let maximumDepth = 32
  private static let maximumLength = 1 << 16
  private var depth = 0

  mutating func parse(_ format: String) throws -> MappingExpression {
    guard format.utf8.count <= Self.maximumLength else {
      throw PersistenceError(.limitExceeded, "An expression is longer than 64 KB.")
    }
    return try parse(Array(format.unicodeScalars)[...])
  }

  private mutating func parse(_ text: ArraySlice<Unicode.Scalar>) throws -> MappingExpression {
    depth += 1
    defer { depth -= 1 }
    guard depth <= Self.maximumDepth else {
      throw PersistenceError(
        .limitExceeded, "Calls in an expression are nested more than \(Self.maximumDepth) deep.")
    }
    if let fetch = try parseFetch(text) { return fetch }
    var plain = ""
    var calls: [MappingCall] = []
    var place = text.startIndex
    while place < text.endIndex {
      if let end = Self.endOfLiteral(at: place, in: text) {
        plain.unicodeScalars.append(contentsOf: text[place..<end])
        place = end
      } else if let open = Self.call("FUNCTION", at: place, in: text) {
        let (parts, end) = try Self.parts(after: open, in: text)
        plain += "$" + MappingCall.variable(calls.count)
        calls.append(try call(parts))
        place = end
      } else {
        plain.unicodeScalars.append(text[place])
        place += 1
      }
    }
    return MappingExpression(
      .value(try FetchExpression(format: plain, argumentArray: []), calls))
  }

  private mutating func call(_ parts: [ArraySlice<Unicode.Scalar>]) throws -> MappingCall {
    guard parts.count >= 2 else {
      throw PersistenceError(.invalidPredicate, "FUNCTION names no receiver and no function.")
    }
    let receiver = Self.string(parts[0])
    guard receiver.hasPrefix("$"),
      let known = MappingCall.Receiver(rawValue: String(receiver.dropFirst()))
    else {
      throw PersistenceError(
        .invalidPredicate,
        "FUNCTION calls \(receiver): only $manager and $entityPolicy can be called.")
    }
    let name = try FetchExpression(format: Self.string(parts[1]), argumentArray: [])
    guard case .constant(.string(let selector)) = name else {
      throw PersistenceError(
        .invalidPredicate, "FUNCTION names its function by \(Self.string(parts[1])), no text.")
    }
    var arguments: [MappingExpression] = []
    for part in parts.dropFirst(2) { arguments.append(try parse(part)) }
    return MappingCall(receiver: known, selector: selector, arguments: arguments)
  }

  /// `FETCH(FUNCTION($manager, "fetchRequest...", entity, condition), $manager.sourceContext, NO)`.
  private mutating func parseFetch(
    _ text: ArraySlice<Unicode.Scalar>
  ) throws -> MappingExpression? {
    guard let start = text.firstIndex(where: { !Self.isSpace($0) }),
      let open = Self.call("FETCH", at: start, in: text)
    else { return nil }
    let (parts, end) = try Self.parts(after: open, in: text)
    let refusal = PersistenceError(
      .invalidPredicate,
      "FETCH takes FUNCTION($manager, \"\(ManagerFunction.fetchRequest.rawValue)\", entity, "
        + "condition), $manager.sourceContext, NO.")
    guard text[end...].allSatisfy(Self.isSpace), (2...3).contains(parts.count),
      Self.string(parts[1]) == "$manager.sourceContext",
      parts.count == 2 || ["NO", "FALSE", "0"].contains(Self.string(parts[2]).uppercased()),
      case .value(.variable, let calls) = try parse(parts[0]).content,
      let call = calls.first, calls.count == 1, call.receiver == .manager,
      call.selector == ManagerFunction.fetchRequest.rawValue, call.arguments.count == 2,
      case .value(.constant(.string(let entityName)), _) = call.arguments[0].content,
      case .value(.constant(.string(let condition)), _) = call.arguments[1].content
    else { throw refusal }
    _ = try FetchPredicate(format: condition, argumentArray: [])
    return MappingExpression(.fetch(entityName: entityName, condition: condition))
  }

  // MARK: Text

  private static func isSpace(_ scalar: Unicode.Scalar) -> Bool {
    scalar.properties.isWhitespace
  }

  private static func isNamePart(_ scalar: Unicode.Scalar) -> Bool {
    scalar == "_" || scalar == "$" || scalar == "." || scalar == "@" || scalar == "#"
      || scalar.properties.isAlphabetic || scalar.properties.numericType != nil
  }

  private static func string(_ part: ArraySlice<Unicode.Scalar>) -> String {
    var text = ""
    text.unicodeScalars.append(contentsOf: part)
    while let last = text.unicodeScalars.last, isSpace(last) { text.unicodeScalars.removeLast() }
    while let first = text.unicodeScalars.first, isSpace(first) {
      text.unicodeScalars.removeFirst()
    }
    return text
  }

  /// Where the text in quotes that begins at a place is over; nil when none begins there.
  private static func endOfLiteral(at place: Int, in text: ArraySlice<Unicode.Scalar>) -> Int? {
    let quote = text[place]
    guard quote == "\"" || quote == "'" else { return nil }
    var next = place + 1
    while next < text.endIndex {
      if text[next] == "\\" {
        next += 2
      } else if text[next] == quote {
        return next + 1
      } else {
        next += 1
      }
    }
    return text.endIndex
  }

  /// The place after the parenthesis of a call that begins at a place.
  private static func call(
    _ word: String, at place: Int, in text: ArraySlice<Unicode.Scalar>
  ) -> Int? {
    let letters = Array(word.unicodeScalars)
    guard place == text.startIndex || !isNamePart(text[place - 1]),
      place + letters.count < text.endIndex,
      string(text[place..<place + letters.count]).uppercased() == word
    else { return nil }
    var next = place + letters.count
    while next < text.endIndex, isSpace(text[next]) { next += 1 }
    return next < text.endIndex && text[next] == "(" ? next + 1 : nil
  }

  /// Returns the arguments after an opening parenthesis, and the position after the closing one.
  private static func parts(
    after open: Int, in text: ArraySlice<Unicode.Scalar>
  ) throws -> (parts: [ArraySlice<Unicode.Scalar>], end: Int) {
    var parts: [ArraySlice<Unicode.Scalar>] = []
    var start = open
    var place = open
    var nesting = 0
    while place < text.endIndex {
      if let end = endOfLiteral(at: place, in: text) {
        place = end
        continue
      }
      switch text[place] {
      case "(", "{", "[": nesting += 1
      case ")" where nesting == 0:
        parts.append(text[start..<place])
        return (parts, place + 1)
      case ")", "}", "]": nesting -= 1
      case "," where nesting == 0:
        parts.append(text[start..<place])
        start = place + 1
      default: break
      }
      place += 1
    }
    throw PersistenceError(.invalidPredicate, "A call in an expression is not closed.")
  }
}
