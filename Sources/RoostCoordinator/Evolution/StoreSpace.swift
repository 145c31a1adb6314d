// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
package import RoostStore

/// The size of a store's file, and the free space on its volume.
package struct StoreSpace {
  /// The size of the file; nil for a store that is not a file.
  package let fileBytes: Int64?
  /// The number of free bytes; nil when unknown.
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

  /// Checks that there is room for copies of the store's file.
  ///
  /// - Parameter copies: The number of files of the store's size that will be written.
  /// - Throws: `storeFull`.
  package func requireRoom(forCopies copies: Int64) throws {
    guard let fileBytes, let freeBytes else { return }
    let (needed, isTooLarge) = fileBytes.multipliedReportingOverflow(by: copies)
    guard isTooLarge || needed > freeBytes else { return }
    throw Self.lack(of: isTooLarge ? .max : needed, freeBytes)
  }

  /// Checks that there is room for a migration plan.
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
