// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// Transactions of one save, reverted by changes that are not saved yet.
struct PendingRevert {
  /// The transactions.
  var transactions: [(store: String, number: Int64)]
  /// The records changed by the revert. When none of them has changes any more, because these were undone, the save
  /// reverts nothing.
  var changed: Set<ObjectID>
}
