// SPDX-License-Identifier: Apache-2.0

/// The ability of a store to migrate in place: its records keep their keys, so object IDs stay valid.
///
/// A store that has it also keeps the canonical text of the model that it was written with
/// (``StoreSchema/modelText()``), so that the old model is always there when it is needed.
///
/// ```swift
/// guard let evolution = store.evolution else { return }
/// for step in try evolution.steps(of: change) { print(step.title) }
/// ```
public protocol StoreEvolution: Sendable {
  /// Returns the canonical text of the model that the store was last written with; nil when it keeps none, such as a
  /// store of an earlier release that was not opened with a matching model since.
  ///
  /// Called only when the versions of the store and the model differ.
  ///
  /// - Throws: `corruptStore`, or the engine's errors.
  /// - Complexity: One round trip.
  func storedModel() throws -> [UInt8]?

  /// Returns the steps of ``evolve(_:to:reporter:)``, in order. Reads only, and uses the engine's statistics where
  /// available.
  ///
  /// - Parameter change: The difference between the two versions, resolved for this store.
  /// - Throws: `migrationConstraintViolation` when records violate a new constraint; `migration` when records prevent
  ///   the change, such as those of an entity that becomes abstract.
  /// - Complexity: At most one request for each entity and for each new constraint.
  func steps(of change: SchemaChange) throws -> [MigrationPlan.Step]

  /// Migrates tables, records, indexes, the text of the model and the metadata to the new version: all or nothing.
  ///
  /// A store may do so in several transactions, of which the last one changes the version. Until then programs of the
  /// old version can use the store, and find everything as it was.
  ///
  /// The store is prepared with the new schema afterwards, which has nothing left to write then.
  ///
  /// - Parameters:
  ///   - change: The difference between the two versions, resolved for this store.
  ///   - metadata: The metadata that the store has afterwards.
  ///   - reporter: Called at least once per step and about every thousand records; it throws when the migration is
  ///     cancelled.
  /// - Returns: Whether the store was changed. False when its metadata were no longer ``SchemaChange/metadata``,
  ///   because another process was faster: nothing was written then, and the store must be reopened.
  /// - Throws: The errors of ``steps(of:)``, `storeFull`, `storeBusy`, `readOnlyStore`; the store is of the old version
  ///   then.
  /// - Complexity: One transaction, or several for a store that is large.
  func evolve(
    _ change: SchemaChange, to metadata: StoreMetadata, reporter: MigrationReporter
  ) throws -> Bool

  /// Executes a part of the steps that ``evolve(_:to:reporter:)`` has deferred under
  /// ``EvolutionPolicy/defersLightweightMigration``: frees space, or builds an index.
  ///
  /// Called concurrently with other requests, by several threads and processes, and again after a crash: completed
  /// steps are not repeated, and half-completed ones are harmless.
  ///
  /// - Parameter isEvolving: Whether the store is about to be migrated to another version, and was not prepared.
  ///   Pending indexes are skipped then: ``evolve(_:to:reporter:)`` builds the required ones.
  /// - Returns: Whether deferred steps remain.
  /// - Throws: `readOnlyStore` when steps remain and the store cannot be written; `storeFull`, `storeBusy`.
  /// - Complexity: One short transaction, except for a column in SQLite, for which its table is rewritten, and for an
  ///   index in the SQL stores.
  func finishDeferredStep(isEvolving: Bool) throws -> Bool

  /// The ability to serve two versions at once; nil for other stores.
  var expansion: (any StoreExpansion)? { get }
}

extension StoreEvolution {
  /// False: the store defers no steps.
  ///
  /// - Parameter isEvolving: Whether the store is about to be brought to a further version.
  public func finishDeferredStep(isEvolving: Bool) throws -> Bool { false }
}
