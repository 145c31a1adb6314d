// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The destinations of a to-many relationship for many sources: `ids[offsets[i]..<offsets[i + 1]]` belong to the source
/// `i` of the call, in the relationship's order, or by key where it has none.
package struct FetchedDestinations: Sendable {
  /// Where each source's destinations begin; one more than there are sources.
  package var offsets: [Int]
  /// The IDs of all destinations.
  package var ids: ObjectIDList
  /// The positions of the destinations of an ordered relationship, parallel to `ids`; empty for others.
  package var positions: [Int64]

  package init(offsets: [Int], ids: ObjectIDList, positions: [Int64] = []) {
    self.offsets = offsets
    self.ids = ids
    self.positions = positions
  }

  /// The destinations of the source with an index; empty when it has none (B325).
  package subscript(source index: Int) -> Slice<ObjectIDList> {
    ids[offsets[index]..<offsets[index + 1]]
  }
}
