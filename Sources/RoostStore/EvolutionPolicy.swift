// SPDX-License-Identifier: Apache-2.0

/// What may be done with a store of another version of the model.
///
/// ```swift
/// description.evolution = .automatic.allowLoss(false)
/// ```
public struct EvolutionPolicy: Sendable, Hashable {
  /// Whether a store of another version is brought to the model at all.
  public var isAllowed = true
  /// Whether entities and attributes may be removed although the store has values of them; true, as in Core Data. It is
  /// about what is inferred: a mapping model says itself what becomes of each value.
  public var allowsLoss = true
  /// Whether an attribute may get another type without a mapping model where no value can be lost: integers to double,
  /// and texts to URIs and back. False, as in Core Data.
  public var allowsLosslessTypeChanges = false
  /// Whether a store may be brought back to a version that it had before; false. Nobody wants that by accident.
  public var allowsEarlierVersion = false
  /// Whether a file is copied before its records are written anew.
  public var backup = Backup.beforeRewrite
  /// Whether the version before stays usable meanwhile; ``Versions/one`` is a migration of the whole store at once.
  public var versions = Versions.one
  /// Whether a store is contracted although programs of its old version have it open; false. They fail then.
  public var ignoresOpenSessions = false
  /// Which share of the time an expansion writes old records, more than 0 and at most 1; nil for all of it. It pauses
  /// for the rest, after each batch, so that the server has more for others. Only with ``Versions/expand``: what is one
  /// transaction would keep its locks for longer.
  public var throttle: Double?

  /// Whether a migration leaves for later what only frees space or makes requests faster; false. See
  /// ``StoreOption/deferredLightweightMigration``.
  public var defersLightweightMigration = false

  /// What is compared before a migration is made valid; the counts.
  public var verify = Verification.counts

  /// What of a store is compared before and after a migration, in its transaction. A difference is an error of code
  /// `migration`, and the store stays as it was.
  ///
  /// ```swift
  /// description.evolution.verify = .checksums
  /// ```
  public enum Verification: Sendable, Hashable {
    /// Nothing.
    case off
    /// How many records each entity has, how many of them a to-one relationship leads away from, and how many links
    /// there are, where nothing of that is to change. It costs two statements for each table, or nothing when the
    /// migration writes no records.
    case counts
    /// The counts, and a sum over the keys and values of all records, of the attributes that are not to change. It
    /// reads all records twice.
    case checksums
  }

  /// Whether a file is copied before a migration.
  ///
  /// ```swift
  /// description.evolution.backup = .never
  /// ```
  public enum Backup: Sendable, Hashable {
    /// No copy.
    case never
    /// A copy beside the file, named `NAME.before-` with the checksum of the old model, when the migration writes more
    /// than names and definitions. It is removed at the next opening that finds nothing to migrate.
    case beforeRewrite
  }

  /// Migrates what can be inferred, losses included, as Core Data does.
  public static let automatic = EvolutionPolicy()

  /// Refuses every store of another version with `persistentStoreIncompatibleVersionHash`.
  public static let refuse: EvolutionPolicy = {
    var policy = EvolutionPolicy()
    policy.isAllowed = false
    return policy
  }()

  /// Returns the policy with another answer to whether data may go.
  ///
  /// - Parameter isAllowed: Whether entities and attributes may be removed although the store has values of them.
  public func allowLoss(_ isAllowed: Bool) -> EvolutionPolicy {
    var policy = self
    policy.allowsLoss = isAllowed
    return policy
  }

  /// Returns the policy with another rule for copies of files.
  ///
  /// - Parameter backup: Whether a file is copied before its records are written anew.
  public func backup(_ backup: Backup) -> EvolutionPolicy {
    var policy = self
    policy.backup = backup
    return policy
  }

  /// Returns the policy with another rule for what is compared.
  ///
  /// - Parameter verification: What is compared before a migration is made valid.
  public func verify(_ verification: Verification) -> EvolutionPolicy {
    var policy = self
    policy.verify = verification
    return policy
  }

  /// Returns the policy with another answer to whether types may change.
  ///
  /// - Parameter areAllowed: Whether an attribute may get another type where no value can be lost.
  public func allowLosslessTypeChanges(_ areAllowed: Bool) -> EvolutionPolicy {
    var policy = self
    policy.allowsLosslessTypeChanges = areAllowed
    return policy
  }

  /// Returns the policy with another answer to whether a part of a migration is left for later.
  ///
  /// - Parameter isDeferred: Whether what only frees space or makes requests faster is left for later.
  public func deferLightweightMigration(_ isDeferred: Bool) -> EvolutionPolicy {
    var policy = self
    policy.defersLightweightMigration = isDeferred
    return policy
  }

  /// Returns the policy with another answer to whether a store may be brought back.
  ///
  /// - Parameter isAllowed: Whether a store may be brought back to a version that it had before.
  public func allowEarlierVersion(_ isAllowed: Bool) -> EvolutionPolicy {
    var policy = self
    policy.allowsEarlierVersion = isAllowed
    return policy
  }
}
