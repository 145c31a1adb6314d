// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// How a batch request ended. Other failures are thrown, and then nothing was written.
package enum BatchOutcome: Sendable {
  /// The stores are as the request wants them; the records that it wrote or removed, store after store.
  case done([ObjectID])
  /// The stores are as the request wants them; so many records were written or removed, and nobody wants to know which.
  case counted(Int)
  /// Nothing is written, because of these conflicts.
  case conflicted([CommitConflict])
}
