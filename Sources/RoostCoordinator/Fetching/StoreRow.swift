// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// A row and the store that it comes from: what the shared evaluator judges here.
struct StoreRow {
  var row: Row
  /// The index of the store among those of the request.
  var store: Int

  /// What tells the records of several stores apart.
  struct Identity: Hashable {
    var key: Int64
    var store: Int
  }
}
