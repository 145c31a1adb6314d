// SPDX-License-Identifier: Apache-2.0

// Normalisation of key paths.
extension FetchExpression {
  /// Returns the expression extended by steps, and the added depth.
  ///
  /// `SELF.name` is `name`, and the steps after a key path continue it: however a path was written, it is one node.
  func appending(_ steps: [String]) -> (expression: FetchExpression, addedDepth: Int) {
    switch self {
    case .evaluatedObject:
      let isSelf = steps.first.map { $0.utf8.count == 4 && $0.lowercased() == "self" } ?? false
      let rest = isSelf ? Array(steps.dropFirst()) : steps
      return (rest.isEmpty ? .evaluatedObject : .keyPath(rest), 0)
    case .refused: return (self, 0)
    case .keyPath(let path): return (.keyPath(path + steps), 0)
    case .keyPathOf(let base, let path): return (.keyPathOf(base, path + steps), 0)
    default: return (.keyPathOf(self, steps), 1)
    }
  }
}
