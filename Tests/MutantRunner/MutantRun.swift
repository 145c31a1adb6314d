// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// Runs the tests of each mutant with the mutant switched on.
struct MutantRun {
  let mutants: [Mutant]
  let process: TestProcess
  /// The number of concurrent processes.
  let width: Int
  /// Whether each mutant that is killed is reported, too.
  var isVerbose = false

  /// Returns the faults of the tests themselves: tests that fail without a mutant, and names that match no test.
  ///
  /// All tests of the package run in one process, so that a test runs once and not for each mutant that names it.
  func findings() throws -> [String] {
    var expressions: Set<String> = []
    var commands: Set<TestCommand> = []
    for command in mutants.flatMap(\.tests) {
      if case .tests(let own) = command {
        expressions.formUnion(own)
      } else {
        commands.insert(command)
      }
    }
    let names = try process.testNames()
    let unknown = try expressions.sorted().filter { try names.firstMatch(of: Regex($0)) == nil }
    if !expressions.isEmpty { commands.insert(.tests(expressions.sorted())) }
    let failures = try sideBySide(commands.sorted { "\($0)" < "\($1)" }) { command in
      let (ending, text) = try process.run(command, mutant: nil, factor: 10)
      return ending == .passed
        ? nil : "\(command): \(ending) without a mutant\n\(Self.essence(of: text))"
    }
    return unknown.map { "no test is called \($0)" } + failures
  }

  /// Returns the lines with failures; if there are none, as after a crash, the last lines.
  private static func essence(of text: String) -> String {
    let lines = text.split(separator: "\n")
    let failures = lines.filter { $0.hasPrefix("✘") }
    return (failures.isEmpty ? lines.suffix(20) : failures.prefix(20)).joined(separator: "\n")
  }

  /// Runs all mutants, and returns those that no test noticed.
  func survivors() throws -> [Mutant] {
    try sideBySide(mutants) { mutant in
      for command in mutant.tests {
        let start = Date()
        let ending = try process.run(command, mutant: mutant).ending
        guard ending != .passed else { continue }
        if isVerbose {
          let seconds = (Date().timeIntervalSince(start) * 10).rounded() / 10
          Terminal.say("\(mutant.name) \(ending) after \(seconds) s: \(command)")
        }
        return nil
      }
      return mutant
    }
  }

  /// Maps all elements concurrently; the results are in order, without nils.
  private func sideBySide<Element: Sendable, Result: Sendable>(
    _ elements: [Element], _ body: @Sendable (Element) throws -> Result?
  ) throws -> [Result] {
    let results = Mutex<[Int: Result]>([:])
    let next = Mutex(0)
    let failure = Mutex<(any Error)?>(nil)
    DispatchQueue.concurrentPerform(iterations: width) { _ in
      while true {
        let index = next.withLock { next in
          defer { next += 1 }
          return next
        }
        guard index < elements.count, failure.withLock({ $0 }) == nil else { return }
        do {
          guard let result = try body(elements[index]) else { continue }
          results.withLock { $0[index] = result }
        } catch {
          failure.withLock { $0 = error }
        }
      }
    }
    if let error = failure.withLock({ $0 }) { throw error }
    return results.withLock { all in all.sorted { $0.key < $1.key }.map(\.value) }
  }
}
