// SPDX-License-Identifier: Apache-2.0

import RoostCoordinator
import RoostModel

extension CoordinatorFetchResult {
  /// The result with replaced rows, if it has rows.
  func replacingRows(
    _ replacement: (FetchedRows) -> FetchedRows
  ) -> CoordinatorFetchResult {
    guard case .rows(let rows) = self else { return self }
    return .rows(replacement(rows))
  }
}

extension FetchedRows {
  /// The rows of a parent's objects; those without a row by now are left out.
  init(ids: [ObjectID], rows: [Row?], registered: [ManagedObject]) {
    var known: [ObjectID] = []
    var found: [Row] = []
    for (index, id) in ids.enumerated() {
      guard let row = rows[index] ?? registered[index].row else { continue }
      known.append(id)
      found.append(row)
    }
    self.init(rows: found, ids: known)
  }
}
