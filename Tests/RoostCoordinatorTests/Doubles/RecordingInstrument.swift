// SPDX-License-Identifier: Apache-2.0

import RoostStore
import Synchronization

/// Records the operations that it is notified of.
final class RecordingInstrument: StoreInstrument {
  private struct State {
    var began: [StoreOperation] = []
    var ended: [(operation: StoreOperation, result: StoreOperationResult)] = []
    var lines: [String] = []
  }

  private let state = Mutex(State())
  let hearsStatements: Bool

  init(hearsStatements: Bool = true) {
    self.hearsStatements = hearsStatements
  }

  func operationBegan(_ operation: StoreOperation) {
    state.withLock { $0.began.append(operation) }
  }

  func operationEnded(_ operation: StoreOperation, _ result: StoreOperationResult) {
    state.withLock { $0.ended.append((operation, result)) }
  }

  func storeNoted(_ line: StoreLogLine) {
    state.withLock { $0.lines.append(line.text) }
  }

  var began: [StoreOperation] { state.withLock { $0.began } }
  var ended: [(operation: StoreOperation, result: StoreOperationResult)] {
    state.withLock { $0.ended }
  }
  var lines: [String] { state.withLock { $0.lines } }

  /// The operations with their outcomes, in the order of their ends.
  var outcomes: [String] { ended.map { "\($0.operation.kind) \($0.result.outcome)" } }

  /// Whether each begun operation has ended exactly once.
  var isBalanced: Bool { began.map(\.id).sorted() == ended.map(\.operation.id).sorted() }

  func result(of kind: StoreOperation.Kind) -> StoreOperationResult? {
    ended.last { $0.operation.kind == kind }?.result
  }
}
