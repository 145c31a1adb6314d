// SPDX-License-Identifier: Apache-2.0

import Foundation
import RoostModel
package import RoostStore

/// The copy of a store's file that is kept while a migration may go wrong: `NAME.before-CHECKSUM`, beside the file.
package struct StoreBackup {
  let description: PersistentStoreDescription
  /// The checksum of the version that the copy is of.
  let checksum: String

  package init(description: PersistentStoreDescription, checksum: String) {
    self.description = description
    self.checksum = checksum
  }

  /// The place of the copy; nil for stores that are no files.
  private var place: PersistentStoreDescription? {
    guard let url = description.url, url.isFileURL,
      FileManager.default.fileExists(atPath: url.path)
    else { return nil }
    // The checksum is base 64, of which two characters mean something in a path or a URL.
    let suffix = checksum.prefix(8).map { $0 == "/" || $0 == "+" ? "-" : $0 }
    var copy = description
    copy.url = url.deletingLastPathComponent()
      .appending(path: url.lastPathComponent + ".before-" + String(suffix))
    return copy
  }

  /// Waits until no other process copies or migrates the file.
  ///
  /// - Returns: The lock; nil for stores that are no files.
  /// - Throws: `storeBusy` when the time of the description is over.
  func lock() throws -> MigrationLock? {
    guard place != nil, let url = description.url else { return nil }
    return try MigrationLock(url, timeout: description.timeout)
  }

  /// Copies the file, durably; a copy of the same version that is there already is replaced.
  ///
  /// - Throws: `storeFull`, or what the driver throws; the migration has not begun then.
  package func make() throws {
    guard let place else { return }
    try description.type.driver.replace(place, with: description)
  }

  /// The path of the copy; nil when there is none.
  package var present: String? {
    guard let path = place?.url?.path, FileManager.default.fileExists(atPath: path) else {
      return nil
    }
    return path
  }

  /// Removes the copy, if there is one.
  package func remove() {
    guard let place, let path = place.url?.path, FileManager.default.fileExists(atPath: path)
    else { return }
    place.removeStore()
  }
}
