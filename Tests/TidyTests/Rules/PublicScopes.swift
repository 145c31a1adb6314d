// SPDX-License-Identifier: Apache-2.0

/// Tracks the braces of a file line by line, to find implicitly public members: the cases of a public enumeration and
/// the requirements of a public protocol.
struct PublicScopes {
  private enum Scope { case enumeration, contract, other }

  private var open: [Scope] = []
  /// The scope that the next brace opens.
  private var next = Scope.other

  private static let requirements: Set<Substring> = [
    "var", "func", "init", "subscript", "associatedtype",
  ]
  private static let modifiers: Set<Substring> = [
    "static", "mutating", "nonisolated", "indirect", "consuming", "borrowing", "@MainActor",
    "@discardableResult",
  ]

  /// Reads the next line of code.
  ///
  /// - Returns: The implicitly public member that begins on the line; nil when there is none.
  mutating func member(on line: Substring) -> String? {
    defer { follow(line) }
    guard let scope = open.last, scope != .other else { return nil }
    let words = line.split(separator: " ").drop { Self.modifiers.contains($0) }
    guard let first = words.first else { return nil }
    let keyword = first.prefix { $0.isLetter }
    switch scope {
    case .enumeration where keyword == "case": break
    case .contract where Self.requirements.contains(keyword): break
    default: return nil
    }
    return words.prefix(2).joined(separator: " ")
  }

  private mutating func follow(_ line: Substring) {
    if line.has("public enum ") || line.has("public indirect enum ") {
      next = .enumeration
    } else if line.has("public protocol ") {
      next = .contract
    }
    for byte in line.utf8 {
      if byte == UInt8(ascii: "{") {
        open.append(next)
        next = .other
      } else if byte == UInt8(ascii: "}") {
        _ = open.popLast()
      }
    }
  }
}
