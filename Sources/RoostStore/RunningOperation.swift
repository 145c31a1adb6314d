// SPDX-License-Identifier: Apache-2.0

import Synchronization

/// A running operation: the instruments to notify at its end, and the statements so far.
package final class RunningOperation: Sendable {
  /// The current operation of the calling thread; nil when no instrument observes one.
  @TaskLocal package static var current: RunningOperation?

  let operation: StoreOperation
  private let hearers: [any StoreInstrument]
  private let start = ContinuousClock.now
  private let statements = Mutex((texts: [String](), count: 0))

  init(_ operation: StoreOperation, hearers: [any StoreInstrument]) {
    self.operation = operation
    self.hearers = hearers
    for instrument in hearers { instrument.operationBegan(operation) }
  }

  /// Records an executed statement.
  func note(_ statement: String) {
    statements.withLock { statements in
      statements.count += 1
      if statements.texts.count < StoreOperationResult.statementLimit {
        statements.texts.append(statement)
      }
    }
  }

  /// Reports the result to the instruments that were notified of the beginning.
  package func end(
    _ outcome: StoreOperationResult.Outcome,
    _ complete: (inout StoreOperationResult) -> Void = { _ in }
  ) {
    let (texts, count) = statements.withLock { ($0.texts, $0.count) }
    var result = StoreOperationResult(
      duration: start.duration(to: .now), outcome: outcome, statements: texts)
    result.statementCount = count
    complete(&result)
    for instrument in hearers { instrument.operationEnded(operation, result) }
  }
}
