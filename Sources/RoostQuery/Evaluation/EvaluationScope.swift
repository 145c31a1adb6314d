// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// The evaluation state of a compiled condition: the evaluated object, and the variables bound by subqueries.
///
/// One scope serves a whole run, so that evaluating a row allocates nothing.
final class EvaluationScope<Source: EvaluationSource> {
  let source: Source
  var object: Source.Item?
  var variables: [Source.Item?]
  /// The aggregate results of the current group, while its columns are computed.
  var aggregates: [Value] = []

  init(source: Source, variableCount: Int) {
    self.source = source
    variables = Array(repeating: nil, count: variableCount)
  }

  func item(_ root: ResolvedPath.Root) -> Source.Item {
    let item =
      switch root {
      case .object: object
      case .variable(let number): variables[number]
      }
    guard let item else { preconditionFailure("A subquery's variable is used outside of it.") }
    return item
  }

  func base(_ root: ResolvedPath.Root) throws -> UnsafeMutableRawPointer {
    try source.base(of: item(root))
  }
}
