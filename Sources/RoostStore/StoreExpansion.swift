// SPDX-License-Identifier: Apache-2.0

/// The ability of a store to serve two versions of its model at once: programs of the old version keep reading and
/// saving alongside those of the new one.
///
/// The store's metadata stay those of the old version until the store is contracted.
///
/// ```swift
/// if let second = store.evolution?.expansion?.secondVersion, second.isComplete {
///   print("also of version", second.metadata.versionChecksum)
/// }
/// ```
public protocol StoreExpansion: Sendable {
  /// The second version of the store, complete or in progress; nil for none. Read when the store is opened.
  var secondVersion: SecondVersion? { get }

  /// Switches this open store to its second version: its metadata become those of that version, and
  /// ``PersistentStore/prepare(_:metadata:)`` maps the names of that version.
  ///
  /// - Throws: The engine's errors.
  /// - Complexity: One round trip.
  func adoptSecondVersion() throws

  /// Returns the steps of ``expand(_:to:reporter:)``. Reads only.
  ///
  /// - Parameter change: The difference between the two versions, resolved for this store.
  /// - Throws: `migration` when the versions cannot be served side by side, `migrationConstraintViolation` when
  ///   records violate a new constraint.
  func expansionSteps(of change: SchemaChange) throws -> [MigrationPlan.Step]

  /// Expands the store to serve a second version, in steps with their own transactions; resumes an interrupted
  /// expansion.
  ///
  /// - Parameters:
  ///   - change: The difference between the two versions, resolved for this store.
  ///   - metadata: The metadata of the second version.
  ///   - reporter: Called with the progress; an error that it throws interrupts the expansion.
  /// - Returns: Whether that was done. False when the store was changed meanwhile, and must be reopened.
  /// - Throws: The errors of ``expansionSteps(of:)``, before anything is written; `storeBusy`, and the errors of the
  ///   reporter.
  func expand(
    _ change: SchemaChange, to metadata: StoreMetadata, reporter: MigrationReporter
  ) throws -> Bool

  /// Returns the steps of ``abandonExpansion(evenComplete:ignoringSessions:allowingLoss:)``. Reads only, and needs no
  /// model of the second version.
  ///
  /// - Throws: The engine's errors.
  func abandonmentSteps() throws -> [MigrationPlan.Step]

  /// Reverts an expansion: the store serves only its old version afterwards, whose programs continue.
  ///
  /// - Parameters:
  ///   - evenComplete: Whether a complete second version is removed, too. Otherwise it is left alone.
  ///   - ignoringSessions: Whether to proceed although programs of the second version have the store open. They are
  ///     refused with `persistentStoreIncompatibleVersionHash` afterwards.
  ///   - allowingLoss: Whether to proceed although values or records are lost that the old version cannot hold.
  ///     Otherwise the store is checked for them under a lock against further writes.
  /// - Throws: `storeBusy` with a list of the sessions of the second version, `migration` for a loss that is not
  ///   allowed, or the engine's errors.
  /// - Complexity: One transaction, which writes no records; where no loss is allowed, it scans the data to be
  ///   removed.
  func abandonExpansion(
    evenComplete: Bool, ignoringSessions: Bool, allowingLoss: Bool
  ) throws

  /// Returns the steps of ``contract(_:ignoringSessions:reporter:)``. Reads only.
  ///
  /// - Parameter change: The difference between the two versions, resolved for this store.
  /// - Throws: The engine's errors.
  func contractionSteps(of change: SchemaChange) throws -> [MigrationPlan.Step]

  /// Ends the old version: the store serves only its second version afterwards.
  ///
  /// - Parameters:
  ///   - change: The difference between the two versions, resolved for this store.
  ///   - ignoringSessions: Whether to proceed although programs of the old version have the store open.
  ///   - reporter: Called with the progress; an error that it throws leaves the store unchanged.
  /// - Returns: Whether that was done. False when the store was changed meanwhile, and must be reopened.
  /// - Throws: `storeBusy` with a list of the sessions of the old version.
  /// - Complexity: One transaction, which writes no records.
  func contract(
    _ change: SchemaChange, ignoringSessions: Bool, reporter: MigrationReporter
  ) throws -> Bool
}

/// The second version of the model that a store serves.
///
/// ```swift
/// if !second.isComplete { print("the store is being expanded") }
/// ```
public struct SecondVersion: Sendable, Hashable {
  /// The metadata that the store has for programs of this version.
  public let metadata: StoreMetadata
  /// Whether the expansion is complete, so that programs can use the version.
  public let isComplete: Bool

  /// Makes a second version.
  ///
  /// - Parameters:
  ///   - metadata: The metadata that the store has for programs of this version.
  ///   - isComplete: Whether programs can use it.
  public init(metadata: StoreMetadata, isComplete: Bool) {
    self.metadata = metadata
    self.isComplete = isComplete
  }
}

extension StoreEvolution {
  /// Nil: the store cannot serve two versions.
  public var expansion: (any StoreExpansion)? { nil }
}
