// SPDX-License-Identifier: Apache-2.0

/// A generic lock must not guard a closure directly.
///
/// A generic lock stores its value with the generic calling convention, for which a closure is wrapped in a
/// reabstraction thunk: each use of the lock may add one more thunk, until a call overflows the stack. A closure in a
/// property of a structure is not wrapped.
struct LockedClosureRule: TidyRule {
  private static let locks = ["Mutex<", "SharedState<", "CommonState<"]

  func findings(in file: SourceFile) -> [Finding] {
    guard file.isSwift else { return [] }
    var found: [Finding] = []
    for (index, line) in file.codeLines.enumerated() {
      for lock in Self.locks {
        guard let guarded = line.split(separator: lock, maxSplits: 1).dropFirst().first,
          isFunction(guarded)
        else { continue }
        found.append(
          Finding(
            path: file.path, line: index + 1,
            message: "\(lock)…>: a closure in a lock is a property of a structure"))
      }
    }
    return found
  }

  /// Returns whether a type that begins here is a function type, or an optional one.
  private func isFunction(_ text: Substring) -> Bool {
    var rest = text.drop { $0 == "(" || $0 == " " }
    while rest.hasPrefix("@") { rest = rest.drop { $0 != " " }.drop { $0 == " " } }
    guard text.first == "(" || text.first == "@", let arrow = rest.firstRange(of: "->")?.lowerBound
    else { return false }
    // A dictionary or an array of closures begins with a bracket.
    return !rest[..<arrow].contains { $0 == "[" || $0 == "<" }
  }
}
