// SPDX-License-Identifier: Apache-2.0

/// The ability of a store to follow its model to another version where it is: its records keep their keys, and so the
/// IDs of objects stay valid.
///
/// A store that has it also keeps the canonical text of the model that it was written with
/// (``StoreSchema/modelText()``), so that the old model is always there when it is needed.
///
/// ```swift
/// guard let evolution = store.evolution else { return }
/// for step in try evolution.steps(of: change) { print(step.title) }
/// ```
public protocol StoreEvolution: Sendable {
  /// Returns the canonical text of the model that the store was last written with; nil when it keeps none, as stores of
  /// earlier versions do until they are opened with a matching model.
  ///
  /// Asked for only when the store is of another version than the model.
  ///
  /// - Throws: `corruptStore`, or what the engine says.
  /// - Complexity: One round trip.
  func storedModel() throws -> [UInt8]?

  /// Returns what ``evolve(_:to:reporter:)`` would do, in its order. Reads only, and asks the engine's own statistics
  /// where it has any.
  ///
  /// - Parameter change: The difference of the two versions, resolved for this store.
  /// - Throws: `migrationConstraintViolation` when records violate a constraint that is new; `migration` when records
  ///   do not allow the change, as those of an entity that becomes abstract.
  /// - Complexity: At most one request for each entity and for each new constraint.
  func steps(of change: SchemaChange) throws -> [MigrationPlan.Step]

  /// Brings tables, records, indexes, the text of the model and the metadata to the new version: all or nothing.
  ///
  /// The store is prepared with the new schema afterwards, and finds nothing left to be written then.
  ///
  /// - Parameters:
  ///   - change: The difference of the two versions, resolved for this store.
  ///   - metadata: The metadata that the store has afterwards.
  ///   - reporter: Told of progress at least once for each step and about every thousand records; it throws when the
  ///     migration is cancelled.
  /// - Returns: Whether the store was changed. False when its metadata were no longer ``SchemaChange/metadata``,
  ///   because another process was faster: nothing was written then, and the store is to be opened anew.
  /// - Throws: What ``steps(of:)`` throws, `storeFull`, `storeBusy`, `readOnlyStore`; the store is unchanged then.
  /// - Complexity: One transaction.
  func evolve(
    _ change: SchemaChange, to metadata: StoreMetadata, reporter: MigrationReporter
  ) throws -> Bool

  /// Does a part of what ``evolve(_:to:reporter:)`` has left for later, where the description's
  /// ``EvolutionPolicy/defersLightweightMigration`` allows it: space is freed, or an index built.
  ///
  /// Called beside other requests, by several threads and processes at once, and again after a crash: what was done is
  /// not done again, and what was done by half is harmless.
  ///
  /// - Parameter isEvolving: Whether the store is about to be brought to a further version, and was not prepared.
  ///   Indexes that are not built yet are left alone then: ``evolve(_:to:reporter:)`` makes those that are wanted.
  /// - Returns: Whether something is left to be done by this function.
  /// - Throws: `readOnlyStore` when something is left and the store cannot be written; `storeFull`, `storeBusy`.
  /// - Complexity: One short transaction, but for a column of SQLite's, for which its table is written anew, and for an
  ///   index of the SQL stores.
  func finishDeferredStep(isEvolving: Bool) throws -> Bool

  /// The ability to serve two versions at once; nil for stores that cannot.
  var expansion: (any StoreExpansion)? { get }
}

extension StoreEvolution {
  /// False: the store leaves nothing for later.
  ///
  /// - Parameter isEvolving: Whether the store is about to be brought to a further version.
  public func finishDeferredStep(isEvolving: Bool) throws -> Bool { false }
}
