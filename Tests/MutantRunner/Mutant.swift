// SPDX-License-Identifier: Apache-2.0

/// A fault that is inserted into a source file and switched on at run time.
struct Mutant: Sendable {
  /// The target whose list contains the mutant.
  let target: String
  /// Its place in the list, from 1. New mutants go to the end, so that numbers in reports stay right.
  let number: Int
  /// The defect that the mutant causes.
  let sentence: String
  /// The source file, from the package's root.
  let file: String
  /// The original text, which occurs exactly once in the file.
  let fragment: String
  /// The replacement of the fragment; `MUTANT` stands for the switch.
  let replacement: String
  /// The tests that should fail.
  let tests: [TestCommand]
  /// Whether this is a control, which changes nothing and must survive.
  let isControl: Bool

  /// The value of `ROOST_MUTANT` that switches the mutant on.
  var name: String { "\(target).\(number)" }

  /// Whether its tests need a PostgreSQL server.
  var needsServer: Bool {
    target == "RoostPostgreSQL" || tests.contains { $0.needsServer }
  }
}

/// Tests that are run together in one process.
enum TestCommand: Hashable, Sendable, CustomStringConvertible {
  /// Tests of this package whose names match one of these expressions.
  case tests([String])
  /// Cases of the conformance kit whose names have a prefix, on one store.
  case kit(store: String, prefix: String)

  /// Reads `kit STORE PREFIX`, or expressions separated by blanks.
  init(_ text: String) {
    let words = text.split(separator: " ").map(String.init)
    if words.count == 3, words[0] == "kit" {
      self = .kit(store: words[1], prefix: words[2])
    } else {
      self = .tests(words)
    }
  }

  var needsServer: Bool {
    switch self {
    case .tests(let expressions): expressions.contains { $0.contains("PostgreSQL") }
    case .kit(let store, _): store == "PostgreSQL"
    }
  }

  var description: String {
    switch self {
    case .tests(let expressions): expressions.joined(separator: " ")
    case .kit(let store, let prefix): "kit \(store) \(prefix)"
    }
  }
}
