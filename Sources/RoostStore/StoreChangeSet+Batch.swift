// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

extension StoreChangeSet {
  /// A change set for the history of a batch request, whose records were changed by statements.
  package init(_ records: BatchRecords, _ terms: BatchTerms) {
    self.init(origin: terms.origin)
    var notes = terms.notes ?? HistoryNotes(time: Date.now.timeIntervalSinceReferenceDate)
    notes.batch = records
    self.notes = notes
  }
}

extension StoreSchema {
  /// The keys, out of some, of records of which something outlives them in the history.
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

/// A store cannot carry out a batch request as it is meant elsewhere, or cannot say what stands in its way: nothing of
/// the transaction may stay, and the coordinator goes through the records.
package struct BatchImpossible: Error {
  package init() {}
}
