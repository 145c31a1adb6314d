// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

extension StoreChangeSet {
  /// Makes a change set for the history of a batch request, whose records were changed by statements.
  package init(_ records: BatchRecords, _ terms: BatchTerms) {
    self.init(origin: terms.origin)
    var notes = terms.notes ?? HistoryNotes(time: Date.now.timeIntervalSinceReferenceDate)
    notes.batch = records
    self.notes = notes
  }
}

extension StoreSchema {
  /// Returns those of the keys whose records leave tombstone values in the history.
  package func keysKeptInHistory(_ keys: [Int64]) -> [Int64] {
    var kept: [Int: Bool] = [:]
    return keys.filter { key in
      let code = RecordKey.entityCode(of: key)
      if let known = kept[code] { return known }
      let answer = !(entity(ofKey: key)?.attributesKeptInHistory.isEmpty ?? true)
      kept[code] = answer
      return answer
    }
  }
}

/// The error of a store that cannot execute a batch request with the common semantics, or cannot identify the failing
/// record: the transaction is rolled back, and the coordinator processes the records one by one.
package struct BatchImpossible: Error {
  package init() {}
}
