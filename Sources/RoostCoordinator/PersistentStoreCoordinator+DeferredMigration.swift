// SPDX-License-Identifier: Apache-2.0

import RoostModel
import RoostStore

extension PersistentStoreCoordinator {
  /// Performs all deferred migration steps in the attached stores: removes columns, tables and records that are no
  /// longer in the model, and builds indexes.
  ///
  /// Saves and fetches continue meanwhile, in this program and in others. If the program ends before the call does,
  /// completed steps stay done, and the next call performs the rest.
  ///
  /// ```swift
  /// description.evolution = .automatic.deferLightweightMigration(true)
  /// // later, when the program has time
  /// try coordinator.finishDeferredLightweightMigration()
  /// ```
  ///
  /// - Throws: ``PersistenceError`` with code `readOnlyStore` when steps are left in a store that cannot be written,
  ///   `persistentStoreIncompatibleVersionHash` when another process has migrated a store since it was added,
  ///   `storeFull`, `storeBusy`, or the error of a store. Completed steps stay done.
  /// - Complexity: Many short transactions, each as in ``finishDeferredLightweightMigrationTask()``.
  public func finishDeferredLightweightMigration() throws {
    for store in attachedStores { while try store.finishDeferredStep() {} }
  }

  /// Performs one deferred migration step, for programs that do the work when they are idle.
  /// ``StoreMetadata/hasDeferredMigration`` of ``metadata(for:)`` tells whether steps are left.
  ///
  /// ```swift
  /// while try coordinator.metadata(for: store).hasDeferredMigration {
  ///   try coordinator.finishDeferredLightweightMigrationTask()
  /// }
  /// ```
  ///
  /// - Throws: What ``finishDeferredLightweightMigration()`` throws.
  /// - Complexity: One transaction: at most about 10,000 records are removed or indexed. In SQLite, removing a column
  ///   rewrites the whole table, and the SQL stores build an index in one step.
  public func finishDeferredLightweightMigrationTask() throws {
    for store in attachedStores where store.store.metadata.hasDeferredMigration {
      _ = try store.finishDeferredStep()
      return
    }
  }
}

extension AttachedStore {
  /// Performs one deferred migration step.
  ///
  /// - Returns: Whether steps are left.
  fileprivate func finishDeferredStep() throws -> Bool {
    guard store.metadata.hasDeferredMigration else { return false }
    return try asking(.migrationStep, OperationSubject(detail: "what was left for later")) {
      try $0.evolution?.finishDeferredStep(isEvolving: false) ?? false
    }
  }
}
