// SPDX-License-Identifier: Apache-2.0

/// What a lock is held for while a store is migrated.
package enum StoreMigrationUse: String, Sendable, Hashable {
  /// The store is made anew in the place beside it, or copied there.
  case secondPlace = "migrating"
  /// The store goes through stages, of which some may need the other use.
  case stages
}

/// Keeps others from migrating a store as long as it is there.
package protocol StoreMigrationLock: AnyObject {
  /// Makes sure that nobody else can have had the lock meanwhile.
  ///
  /// - Throws: `storeBusy` when it was lost, as with the connection that held it.
  func check() throws
}
