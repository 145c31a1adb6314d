// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

extension PersistentStoreCoordinator {
  /// Does everything that migrations have left for later in the attached stores: columns, tables and records of what is
  /// no longer in the model are removed, and indexes are built.
  ///
  /// Saves and fetches go on meanwhile, of this program and of others. When the program ends before the call does,
  /// what was done stays done, and the next call does the rest.
  ///
  /// ```swift
  /// description.evolution = .automatic.deferLightweightMigration(true)
  /// // later, when the program has time
  /// try coordinator.finishDeferredLightweightMigration()
  /// ```
  ///
  /// - Throws: ``PersistenceError`` with code `readOnlyStore` when something is left in a store that cannot be written,
  ///   `persistentStoreIncompatibleVersionHash` when another process has migrated a store since it was added,
  ///   `storeFull`, `storeBusy`, or what the store throws. What was done before stays done.
  /// - Complexity: Many short transactions, as ``finishDeferredLightweightMigrationTask()`` has one.
  public func finishDeferredLightweightMigration() throws {
    for store in attachedStores { while try store.finishDeferredStep() {} }
  }

  /// Does one part of what migrations have left for later, for programs that have a moment now and then. Whether
  /// something is left is said by ``StoreMetadata/hasDeferredMigration`` of ``metadata(for:)``.
  ///
  /// ```swift
  /// while try coordinator.metadata(for: store).hasDeferredMigration {
  ///   try coordinator.finishDeferredLightweightMigrationTask()
  /// }
  /// ```
  ///
  /// - Throws: What ``finishDeferredLightweightMigration()`` throws.
  /// - Complexity: One transaction: at most about 10,000 records are removed or given entries of an index. A column of
  ///   SQLite's is removed at once, for which the table is written anew, and so is an index of the SQL stores built.
  public func finishDeferredLightweightMigrationTask() throws {
    for store in attachedStores where store.store.metadata.hasDeferredMigration {
      _ = try store.finishDeferredStep()
      return
    }
  }
}

extension AttachedStore {
  /// Does a part of what a migration has left for later.
  ///
  /// - Returns: Whether something is left.
  fileprivate func finishDeferredStep() throws -> Bool {
    guard store.metadata.hasDeferredMigration else { return false }
    return try asking(.migrationStep, OperationSubject(detail: "what was left for later")) {
      try $0.evolution?.finishDeferredStep(isEvolving: false) ?? false
    }
  }
}
