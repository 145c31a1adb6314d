// SPDX-License-Identifier: Apache-2.0

/// Keeps others from migrating a store as long as it is there.
package protocol StoreMigrationLock: AnyObject {
  /// Makes sure that nobody else can have had the lock meanwhile.
  ///
  /// - Throws: `storeBusy` when it was lost, as with the connection that held it.
  func check() throws
}
