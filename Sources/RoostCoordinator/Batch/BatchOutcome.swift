// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The outcome of a batch request. Other failures are thrown, and then nothing was written.
package enum BatchOutcome: Sendable {
  /// The request was committed; the IDs of the records that it wrote or deleted, grouped by store.
  case done([ObjectID])
  /// The request was committed; the number of records written or deleted, when the IDs were not requested.
  case counted(Int)
  /// Nothing was written, because of these conflicts.
  case conflicted([CommitConflict])
}
