// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

/// Texts that an attribute may accept: plain ones, common kinds of texts that patterns require, and one generated
/// from a simple pattern.
struct FixtureTexts {
  private let attribute: AttributeDescription
  private let number: Int

  init(_ attribute: AttributeDescription, _ number: Int) {
    self.attribute = attribute
    self.number = number
  }

  var candidates: [String] {
    var texts = ["\(attribute.name) \(number)"].map(fitted)
    guard attribute.regularExpression != nil || !attribute.validationPredicates.isEmpty else {
      return texts + [fitted("\(number)")]
    }
    if let pattern = attribute.regularExpression {
      var sample = PatternSample(pattern, number)
      if let text = sample.make() { texts.append(text) }
    }
    let letters = Self.letters(number)
    let name = "name\(number)"
    texts += [
      "\(number)", letters, letters.uppercased(), letters.capitalized, "\(letters)\(number)",
      "\(letters.uppercased())\(number)", "\(name)@example.org", "https://example.org/\(name)",
      "+49301234\(String(format: "%04d", number))", String(format: "%05d", number),
      String(format: "2001-01-%02d", number % 28 + 1), String(format: "%02d:30", number % 24),
      String(format: "00000000-0000-4000-8000-%012x", number), "\(number).5",
      String(format: "#%06x", number),
    ].flatMap { [$0, fitted($0)] }
    if case .string(let text) = attribute.defaultConstant { texts.append(text) }
    return texts
  }

  /// Returns the text with the required number of characters. Its end, which differs for each object, is kept.
  private func fitted(_ text: String) -> String {
    var result = text
    if let least = attribute.minLength, result.count < least, least <= 10_000 {
      result = String(repeating: "x", count: least - result.count) + result
    }
    if let most = attribute.maxLength, most >= 0, result.count > most {
      result = String(result.suffix(most))
    }
    return result
  }

  /// `b`, `c`, ... `ba`: another word for each number.
  static func letters(_ number: Int) -> String {
    var rest = number
    var letters: [Character] = []
    repeat {
      letters.insert(Character(Unicode.Scalar(UInt8(97 + rest % 26))), at: 0)
      rest /= 26
    } while rest > 0
    return String(letters)
  }
}
