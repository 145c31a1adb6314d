// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel

/// The records that pending insertions write again under their former IDs: deletions taken back after a save, by an
/// undo, a revert or a merge policy.
///
/// Such a record starts in a version that it never had. With version 1, its values would be mistaken for those of the
/// former version 1: a context that merges the save would keep the old values, and a store that compares versions
/// would accept a save made from them.
struct RebornRecords {
  /// The last known version of each record. Other contexts or processes may have written and removed it since.
  private var lastVersions: [ObjectID: Int64] = [:]

  var isEmpty: Bool { lastVersions.isEmpty }

  /// Registers a record that will be written again.
  ///
  /// - Parameter version: The last known version.
  mutating func note(_ id: ObjectID, lastVersion version: Int64) {
    let id = id.current
    guard !id.isTemporaryID else { return }
    lastVersions[id] = max(version, lastVersions[id] ?? 0)
  }

  /// Returns the last known version of a record that will be written again; nil for other records.
  func lastVersion(of id: ObjectID) -> Int64? {
    lastVersions.isEmpty ? nil : lastVersions[id.current]
  }

  /// Returns the version in which a record is inserted.
  ///
  /// The last version may be unknown here, so the result is at least the time in microseconds: more than the number
  /// of saves that a record can have had. A clock that was set back does no harm as long as the last version is
  /// known.
  func firstVersion(of id: ObjectID) -> Int64 {
    guard let last = lastVersion(of: id) else { return 1 }
    return max(last &+ 1, Int64(Date.now.timeIntervalSinceReferenceDate * 1_000_000))
  }

  /// Removes a record, which was written or will no longer be written.
  mutating func remove(_ id: ObjectID) {
    if !lastVersions.isEmpty { lastVersions[id.current] = nil }
  }

  mutating func removeAll() {
    if !lastVersions.isEmpty { lastVersions = [:] }
  }
}
