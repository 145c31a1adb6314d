// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

extension BatchOutcome {
  /// Runs a batch request as an operation that instruments observe.
  static func told(
    to instruments: StoreInstruments, _ kind: StoreOperation.Kind, of entityName: String?,
    _ body: () throws -> BatchOutcome
  ) throws -> BatchOutcome {
    guard instruments.isOn else { return try body() }
    let caller = RequestCaller.current
    let operation = StoreOperation(
      kind, storeName: "", entityName: entityName, contextName: caller?.contextName,
      author: caller?.author, isImplicit: false, callSite: caller?.callSite)
    return try instruments.tell(
      operation,
      report: { answer, result in
        switch answer {
        case .done(let ids): result.rows = ids.count
        case .counted(let count): result.rows = count
        case .conflicted(let conflicts): result.outcome = .conflict(conflicts.count)
        }
      }, body)
  }
}
