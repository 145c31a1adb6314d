// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// A transaction reverted by changes that are not saved yet.
struct PendingRevert {
  /// The UUID of the transaction's store.
  var store: String
  /// The transaction number.
  var number: Int64
  /// The records changed by the revert. When none of them has changes any more, because these were undone, the save
  /// reverts nothing.
  var changed: Set<ObjectID>
}
