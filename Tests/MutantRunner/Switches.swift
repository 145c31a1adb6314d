// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Inserts the switches of mutants into the text of a file.
enum Switches {
  /// Returns the text with all these mutants, each behind its switch.
  ///
  /// - Parameters:
  ///   - mutants: The mutants of this file.
  ///   - text: The text of the file.
  /// - Throws: ``ListError`` when a fragment does not occur exactly once, or when two overlap.
  static func text(with mutants: [Mutant], in text: String) throws -> String {
    var places: [(range: Range<String.Index>, mutant: Mutant)] = []
    var reasons: [String] = []
    for mutant in mutants {
      guard let range = text.range(of: mutant.fragment) else {
        reasons.append("\(mutant.name): \(mutant.file) has no fragment \(mutant.fragment)")
        continue
      }
      if text[text.index(after: range.lowerBound)...].range(of: mutant.fragment) != nil {
        reasons.append("\(mutant.name): \(mutant.file) has more than once \(mutant.fragment)")
      }
      places.append((range, mutant))
    }
    places.sort { $0.range.lowerBound < $1.range.lowerBound }
    for (first, second) in zip(places, places.dropFirst())
    where first.range.upperBound > second.range.lowerBound {
      reasons.append("\(first.mutant.name) and \(second.mutant.name) are at one place")
    }
    guard reasons.isEmpty else { throw ListError(reasons: reasons) }
    var result = ""
    var end = text.startIndex
    for (range, mutant) in places {
      result += text[end..<range.lowerBound]
      result += mutant.replacement.replacing("MUTANT", with: "mutantIsActive(\(mutant.number))")
      end = range.upperBound
    }
    return result + text[end...]
  }

  /// Returns the source file to add to a target, with the function that the switches call.
  static func source(target: String) -> String {
    """
    import Foundation

    private let activeMutant: Int = {
      let words = (ProcessInfo.processInfo.environment["ROOST_MUTANT"] ?? "").split(separator: ".")
      guard words.count == 2, words[0] == "\(target)" else { return 0 }
      return Int(words[1]) ?? 0
    }()

    @usableFromInline func mutantIsActive(_ number: Int) -> Bool { number == activeMutant }

    """
  }
}
