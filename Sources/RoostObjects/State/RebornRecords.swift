// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

/// The records that pending insertions write again under the IDs that they had: deletions that are taken back after a
/// save, by an undo, a revert or a merge policy.
///
/// Such a record begins in a version that it never had. With version 1 its values would be taken for those that it had
/// in that version before: by who merges the save, who would keep the old values, and by a store that compares
/// versions, which would let a save pass that was made from them.
struct RebornRecords {
  /// The last version of each that is known here. Others may have written and removed it since.
  private var lastVersions: [ObjectID: Int64] = [:]

  var isEmpty: Bool { lastVersions.isEmpty }

  /// Notes that a record is to be written again.
  ///
  /// - Parameter version: The last version that is known of it.
  mutating func note(_ id: ObjectID, lastVersion version: Int64) {
    let id = id.current
    guard !id.isTemporaryID else { return }
    lastVersions[id] = max(version, lastVersions[id] ?? 0)
  }

  /// The last version that is known of a record that is to be written again; nil for others.
  func lastVersion(of id: ObjectID) -> Int64? {
    lastVersions.isEmpty ? nil : lastVersions[id.current]
  }

  /// The version in which a record is inserted.
  ///
  /// Nobody here may know the last one, so it is at least the time in microseconds: more than the saves that a record
  /// can have had. A clock that was set back is no harm as long as the last version is known.
  func firstVersion(of id: ObjectID) -> Int64 {
    guard let last = lastVersion(of: id) else { return 1 }
    return max(last &+ 1, Int64(Date.now.timeIntervalSinceReferenceDate * 1_000_000))
  }

  /// Forgets a record, which was written or is not to be written any more.
  mutating func remove(_ id: ObjectID) {
    if !lastVersions.isEmpty { lastVersions[id.current] = nil }
  }

  mutating func removeAll() {
    if !lastVersions.isEmpty { lastVersions = [:] }
  }
}
