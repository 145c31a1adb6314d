// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
package import RoostStore

/// How large a store's file is, and how much room there is beside it.
package struct StoreSpace {
  /// The size of the file; nil for a store that is none.
  package let fileBytes: Int64?
  /// How many bytes are free; nil where that cannot be told.
  package let freeBytes: Int64?

  package init(of description: PersistentStoreDescription) {
    guard let url = description.url, url.isFileURL,
      let file = try? FileManager.default.attributesOfItem(atPath: url.path),
      let size = (file[.size] as? NSNumber)?.int64Value
    else {
      fileBytes = nil
      freeBytes = nil
      return
    }
    let folder = url.deletingLastPathComponent().path
    let system = try? FileManager.default.attributesOfFileSystem(forPath: folder)
    fileBytes = size
    freeBytes = (system?[.systemFreeSize] as? NSNumber)?.int64Value
  }

  /// Refuses what has no room beside the store.
  ///
  /// - Parameter copies: How many files as large as the store's are written.
  /// - Throws: `storeFull`.
  package func requireRoom(forCopies copies: Int64) throws {
    guard let fileBytes, let freeBytes else { return }
    let (needed, isTooLarge) = fileBytes.multipliedReportingOverflow(by: copies)
    guard isTooLarge || needed > freeBytes else { return }
    throw Self.lack(of: isTooLarge ? .max : needed, freeBytes)
  }

  /// Refuses a plan that has no room.
  ///
  /// - Throws: `storeFull`.
  static func require(_ estimate: MigrationPlan.Estimate) throws {
    guard estimate.lacksRoom, let needed = estimate.freeBytesNeeded, let free = estimate.freeBytes
    else { return }
    throw lack(of: needed, free)
  }

  private static func lack(of needed: Int64, _ free: Int64) -> PersistenceError {
    PersistenceError(
      .storeFull,
      "The migration can need \(needed >> 20) MB of the disk, and \(free >> 20) MB are free: make "
        + "room, and open the store again.")
  }
}
