// SPDX-License-Identifier: Apache-2.0

import Foundation

/// What the program was asked to do.
struct Options {
  /// The folder for the copy of the package and for what is built from it.
  var scratch = ".build/mutants"
  /// Only the mutants whose names begin so.
  var prefix = ""
  /// How many, chosen by the seed; all when nil.
  var sample: Int?
  var seed: UInt64 = 1
  /// The seconds that one run of tests may take.
  var limit = 120.0
  /// How many percent must be killed.
  var rate = 95
  var width = ProcessInfo.processInfo.activeProcessorCount
  /// Only looks whether the lists fit the sources.
  var onlyChecks = false
  /// Says of each mutant which tests have killed it.
  var isVerbose = false

  init(_ words: some Sequence<String>) throws {
    var rest = Array(words)[...]
    while let word = rest.popFirst() {
      if word == "--check" || word == "--verbose" {
        if word == "--check" { onlyChecks = true } else { isVerbose = true }
        continue
      }
      guard let value = rest.popFirst() else { throw UnknownOption(word: word) }
      switch word {
      case "--scratch": scratch = value
      case "--only": prefix = value
      case "--sample": sample = try Self.number(value, word)
      case "--seed": seed = UInt64(try Self.number(value, word))
      case "--limit": limit = Double(try Self.number(value, word))
      case "--rate": rate = try Self.number(value, word)
      case "--width": width = max(1, try Self.number(value, word))
      default: throw UnknownOption(word: word)
      }
    }
  }

  private static func number(_ value: String, _ word: String) throws -> Int {
    guard let number = Int(value), number >= 0 else {
      throw UnknownOption(word: "\(word) \(value)")
    }
    return number
  }

  /// The mutants that are wanted of all: controls always, of the others as many as the sample has.
  func choice(of all: [Mutant], hasServer: Bool) -> [Mutant] {
    let possible = all.filter { $0.name.hasPrefix(prefix) && (hasServer || !$0.needsServer) }
    guard let sample else { return possible }
    var generator = SplitMix(state: seed)
    let chosen = possible.filter { !$0.isControl }.shuffled(using: &generator).prefix(sample)
    let names = Set(chosen.map(\.name))
    return possible.filter { $0.isControl || names.contains($0.name) }
  }
}

/// A word that is no option.
struct UnknownOption: Error, CustomStringConvertible {
  let word: String

  var description: String {
    "\(word) is none of --only PREFIX, --sample COUNT, --seed NUMBER, --limit SECONDS, "
      + "--rate PERCENT, --width COUNT, --scratch FOLDER, --verbose, --check"
  }
}

/// Random numbers that are the same for the same seed.
struct SplitMix: RandomNumberGenerator {
  var state: UInt64

  mutating func next() -> UInt64 {
    state &+= 0x9E37_79B9_7F4A_7C15
    var bits = state
    bits = (bits ^ (bits >> 30)) &* 0xBF58_476D_1CE4_E5B9
    bits = (bits ^ (bits >> 27)) &* 0x94D0_49BB_1331_11EB
    return bits ^ (bits >> 31)
  }
}
