// SPDX-License-Identifier: Apache-2.0

import Foundation

/// The options of the command line.
struct Options {
  /// The folder for the copy of the package and its build products.
  var scratch = ".build/mutants"
  /// The prefix of the names of the mutants to run.
  var prefix = ""
  /// The number of mutants to choose by the seed; all when nil.
  var sample: Int?
  var seed: UInt64 = 1
  /// The time limit of one run of tests, in seconds.
  var limit = 120.0
  /// The percentage of mutants that must be killed.
  var rate = 95
  var width = ProcessInfo.processInfo.activeProcessorCount
  /// Whether only to check that the lists match the sources.
  var onlyChecks = false
  /// Whether to print the tests that killed each mutant.
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

  /// Returns the mutants to run: all controls, and as many others as the sample has.
  func choice(of all: [Mutant], hasServer: Bool) -> [Mutant] {
    let possible = all.filter { $0.name.hasPrefix(prefix) && (hasServer || !$0.needsServer) }
    guard let sample else { return possible }
    var generator = SplitMix(state: seed)
    let chosen = possible.filter { !$0.isControl }.shuffled(using: &generator).prefix(sample)
    let names = Set(chosen.map(\.name))
    return possible.filter { $0.isControl || names.contains($0.name) }
  }
}

/// An unknown word of the command line.
struct UnknownOption: Error, CustomStringConvertible {
  let word: String

  var description: String {
    "\(word) is none of --only PREFIX, --sample COUNT, --seed NUMBER, --limit SECONDS, "
      + "--rate PERCENT, --width COUNT, --scratch FOLDER, --verbose, --check"
  }
}

/// A generator of random numbers that are the same for the same seed.
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
