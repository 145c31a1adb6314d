// SPDX-License-Identifier: Apache-2.0

/// The ability of a store to serve two versions of its model at once: a program of the old version goes on reading and
/// saving beside those of the new one.
///
/// The store's metadata stay those of the old version until the store is contracted.
///
/// ```swift
/// if let second = store.evolution?.expansion?.secondVersion, second.isComplete {
///   print("also of version", second.metadata.versionChecksum)
/// }
/// ```
public protocol StoreExpansion: Sendable {
  /// The second version of the store, complete or under way; nil for none. Known since the store was opened.
  var secondVersion: SecondVersion? { get }

  /// Makes this open store be of its second version: its metadata are those of that version, and
  /// ``PersistentStore/prepare(_:metadata:)`` maps the names of that version.
  ///
  /// - Throws: What the engine says.
  /// - Complexity: One round trip.
  func adoptSecondVersion() throws

  /// Returns what ``expand(_:to:reporter:)`` would do. Reads only.
  ///
  /// - Parameter change: The difference of the two versions, resolved for this store.
  /// - Throws: `migration` when the versions cannot be served side by side, `migrationConstraintViolation` when records
  ///   violate a constraint that is new.
  func expansionSteps(of change: SchemaChange) throws -> [MigrationPlan.Step]

  /// Makes the store serve a second version, in steps that are transactions of their own; goes on where an earlier one
  /// was interrupted.
  ///
  /// - Parameters:
  ///   - change: The difference of the two versions, resolved for this store.
  ///   - metadata: The metadata of the second version.
  ///   - reporter: Told of progress; what it throws interrupts the expansion.
  /// - Returns: Whether that was done. False when the store is no longer what it was: it is to be opened anew.
  /// - Throws: What ``expansionSteps(of:)`` throws, before anything is written; `storeBusy`, and what the reporter
  ///   throws.
  func expand(
    _ change: SchemaChange, to metadata: StoreMetadata, reporter: MigrationReporter
  ) throws -> Bool

  /// Returns what ``abandonExpansion(evenComplete:ignoringSessions:allowingLoss:)`` would do. Reads only, and needs no
  /// model of the second version.
  ///
  /// - Throws: What the engine says.
  func abandonmentSteps() throws -> [MigrationPlan.Step]

  /// Removes what an expansion has added: the store is of its old version alone afterwards, whose programs go on.
  ///
  /// - Parameters:
  ///   - evenComplete: Whether a second version that programs can use goes too. Nothing is done to it otherwise.
  ///   - ignoringSessions: Whether it is done although programs of the second version have the store open. They are
  ///     refused with `persistentStoreIncompatibleVersionHash` afterwards.
  ///   - allowingLoss: Whether it is done although values or records go that the old version has nowhere. Otherwise
  ///     they are looked for once nobody can write more of them.
  /// - Throws: `storeBusy` with a list of the sessions of the second version, `migration` for a loss that is not
  ///   allowed, or what the engine says.
  /// - Complexity: One transaction, which writes no records; where no loss is allowed, it looks through what goes.
  func abandonExpansion(
    evenComplete: Bool, ignoringSessions: Bool, allowingLoss: Bool
  ) throws

  /// Returns what ``contract(_:ignoringSessions:reporter:)`` would do. Reads only.
  ///
  /// - Parameter change: The difference of the two versions, resolved for this store.
  /// - Throws: What the engine says.
  func contractionSteps(of change: SchemaChange) throws -> [MigrationPlan.Step]

  /// Ends the old version: the store is of its second version alone afterwards.
  ///
  /// - Parameters:
  ///   - change: The difference of the two versions, resolved for this store.
  ///   - ignoringSessions: Whether it is done although programs of the old version have the store open.
  ///   - reporter: Told of progress; what it throws leaves the store as it was.
  /// - Returns: Whether that was done. False when the store is no longer what it was: it is to be opened anew.
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
  /// Whether programs can use it: the store was expanded to its end.
  public let isComplete: Bool

  /// Describes a second version.
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
  /// Whether the store can serve two versions: nil, unless the store says otherwise.
  public var expansion: (any StoreExpansion)? { nil }
}
