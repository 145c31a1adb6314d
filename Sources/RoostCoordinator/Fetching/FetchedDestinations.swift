// SPDX-License-Identifier: Apache-2.0

package import RoostModel

/// The destinations of a to-many relationship for many sources: `ids[offsets[i]..<offsets[i + 1]]` belong to source
/// `i`, in the relationship's order, or in key order if it has none.
package struct FetchedDestinations: Sendable {
  /// The index of each source's first destination; one element more than there are sources.
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

  /// The destinations of the source at an index; empty when it has none (B325).
  package subscript(source index: Int) -> Slice<ObjectIDList> {
    ids[offsets[index]..<offsets[index + 1]]
  }
}
