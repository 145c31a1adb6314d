// SPDX-License-Identifier: Apache-2.0

/// No lock guards a closure by itself.
///
/// What a generic lock guards has the form of a generic value, and a closure is put into that form by another closure
/// around it: each time that the lock is taken there is one more of them, until a call goes deeper than the stack. A
/// closure that is a property of a structure keeps its form.
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

  /// Whether a type that begins here is a function, or an optional one.
  private func isFunction(_ text: Substring) -> Bool {
    var rest = text.drop { $0 == "(" || $0 == " " }
    while rest.hasPrefix("@") { rest = rest.drop { $0 != " " }.drop { $0 == " " } }
    guard text.first == "(" || text.first == "@", let arrow = rest.firstRange(of: "->")?.lowerBound
    else { return false }
    // A dictionary or an array of closures begins with a bracket.
    return !rest[..<arrow].contains { $0 == "[" || $0 == "<" }
  }
}
