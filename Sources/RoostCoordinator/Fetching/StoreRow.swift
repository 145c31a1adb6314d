// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// A row and the store that it comes from: the item type of the shared evaluator here.
struct StoreRow {
  var row: Row
  /// The index of the store among those of the request.
  var store: Int

  /// Identifies a record among those of several stores.
  struct Identity: Hashable {
    var key: Int64
    var store: Int
  }
}
