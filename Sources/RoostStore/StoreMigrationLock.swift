// SPDX-License-Identifier: Apache-2.0

/// The purpose of a migration lock.
package enum StoreMigrationUse: String, Sendable, Hashable {
  /// The store is rebuilt or copied in the second place beside it.
  case secondPlace = "migrating"
  /// The store is migrated in stages, some of which may also need ``secondPlace``.
  case stages
}

/// A lock that keeps other processes from migrating a store for as long as the object exists.
package protocol StoreMigrationLock: AnyObject {
  /// Verifies that the lock was held without interruption.
  ///
  /// - Throws: `storeBusy` when it was lost, for example with the connection that held it.
  func check() throws
}
