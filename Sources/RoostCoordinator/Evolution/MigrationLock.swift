// SPDX-License-Identifier: Apache-2.0

package import Foundation
import RoostModel
package import RoostStore

/// A lock that lets only one process at a time copy or migrate a file beside the original, or run migration stages on
/// it: `flock` on `NAME.migrating.lock` or `NAME.stages.lock`, released when the process ends (M33).
package final class MigrationLock: StoreMigrationLock {
  private let descriptor: Int32
  private let path: String

  /// Waits for the lock.
  ///
  /// - Parameters:
  ///   - url: The file to migrate.
  ///   - use: The purpose of the lock.
  ///   - timeout: The maximum wait, in seconds.
  /// - Throws: `storeBusy` when another process still holds the lock by then, `migration` when the lock file cannot
  ///   be created.
  package init(
    _ url: URL, for use: StoreMigrationUse = .secondPlace, timeout: TimeInterval
  ) throws {
    // Not the name of the copy with a suffix that engines add: LMDB would lock the same file, and remove it.
    path = url.path + ".\(use.rawValue).lock"
    let deadline = Deadline(after: timeout)
    while true {
      let file = open(path, O_CREAT | O_RDWR | O_CLOEXEC, 0o600)
      guard file >= 0 else {
        throw PersistenceError(
          .migration, "The file \(url.lastPathComponent).\(use.rawValue).lock cannot be made.",
          store: url.lastPathComponent)
      }
      // The previous holder may have removed the file: then the path names another file.
      if flock(file, LOCK_EX | LOCK_NB) == 0, Self.isFile(file, at: path) {
        descriptor = file
        return
      }
      close(file)
      guard !deadline.isOver else {
        throw PersistenceError(
          .storeBusy, "Another process is migrating the store.", store: url.lastPathComponent)
      }
      usleep(20_000)
    }
  }

  /// The system keeps the lock until the file is closed.
  package func check() {}

  deinit {
    unlink(path)
    close(descriptor)
  }

  private static func isFile(_ descriptor: Int32, at path: String) -> Bool {
    var own = stat()
    var found = stat()
    return fstat(descriptor, &own) == 0 && stat(path, &found) == 0 && own.st_ino == found.st_ino
      && own.st_dev == found.st_dev
  }
}

extension PersistentStoreDescription {
  /// Waits until no other process migrates the store.
  ///
  /// - Returns: The lock; nil for a store that is not a file and whose driver has no such lock, because only this
  ///   process uses it.
  /// - Throws: `storeBusy` when the timeout of the description expires.
  package func lockMigration(
    for use: StoreMigrationUse
  ) throws -> (any StoreMigrationLock)? {
    if let driver = type.driver as? any StagingLocationDriver {
      return try driver.lockMigration(of: self, for: use)
    }
    guard let url, url.isFileURL else { return nil }
    return try MigrationLock(url, for: use, timeout: timeout)
  }
}
