// SPDX-License-Identifier: Apache-2.0

import RoostModel

/// A transaction that was taken back by changes that are not saved yet.
struct PendingRevert {
  /// The UUID of its store.
  var store: String
  /// Its number.
  var number: Int64
  /// The records that were changed for it. When none of them has changes any more, because that was undone, nothing is
  /// taken back.
  var changed: Set<ObjectID>
}
