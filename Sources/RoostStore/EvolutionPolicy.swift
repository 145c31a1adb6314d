// SPDX-License-Identifier: Apache-2.0

/// The rules for opening a store of another version of the model.
///
/// ```swift
/// description.evolution = .automatic.allowLoss(false)
/// ```
public struct EvolutionPolicy: Sendable, Hashable {
  /// Whether a store of another version is migrated at all.
  public var isAllowed = true
  /// Whether entities and attributes may be removed although the store has values of them; true, as in Core Data. It
  /// concerns inferred migrations: a mapping model decides itself about each value.
  public var allowsLoss = true
  /// Whether an attribute may get another type without a mapping model where no value can be lost: integers to double,
  /// and texts to URIs and back. False, as in Core Data.
  public var allowsLosslessTypeChanges = false
  /// Whether a store may be brought back to a version that it had before; false, to prevent accidents.
  public var allowsEarlierVersion = false
  /// Whether a file is copied before its records are rewritten.
  public var backup = Backup.beforeRewrite
  /// Whether the old version stays usable meanwhile; ``Versions/one`` migrates the whole store at once.
  public var versions = Versions.one
  /// Whether a store is contracted although programs of its old version have it open; false. Those programs fail then.
  public var ignoresOpenSessions = false
  /// The share of the time in which an expansion writes old records, more than 0 and at most 1; nil for all of it. It
  /// pauses after each batch for the rest, so that the server can serve others. Only with ``Versions/expand``: a
  /// migration in one transaction would keep its locks for longer.
  public var throttle: Double?

  /// Whether a migration defers steps that only free space or make requests faster; false. See
  /// ``StoreOption/deferredLightweightMigration``.
  public var defersLightweightMigration = false

  /// When a migration of a file is divided into several transactions, and how long these are.
  package var batches = EvolutionBatches()

  /// The comparison before a migration is made valid; counts by default.
  public var verify = Verification.counts

  /// The data that are compared before and after a migration, in its transaction. A difference is an error of code
  /// `migration`, and the store stays unchanged.
  ///
  /// ```swift
  /// description.evolution.verify = .checksums
  /// ```
  public enum Verification: Sendable, Hashable {
    /// No comparison.
    case off
    /// The number of records of each entity, of records with a destination in each to-one relationship, and of links,
    /// where they are not to change. It costs two statements for each table, or nothing when the migration writes no
    /// records.
    case counts
    /// The counts, and a checksum over the keys and values of all records, of the attributes that are not to change.
    /// It reads all records twice.
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

  /// Returns the policy with another value of ``allowsLoss``.
  ///
  /// - Parameter isAllowed: Whether entities and attributes may be removed although the store has values of them.
  public func allowLoss(_ isAllowed: Bool) -> EvolutionPolicy {
    var policy = self
    policy.allowsLoss = isAllowed
    return policy
  }

  /// Returns the policy with another value of ``backup``.
  ///
  /// - Parameter backup: Whether a file is copied before its records are rewritten.
  public func backup(_ backup: Backup) -> EvolutionPolicy {
    var policy = self
    policy.backup = backup
    return policy
  }

  /// Returns the policy with another value of ``verify``.
  ///
  /// - Parameter verification: The comparison before a migration is made valid.
  public func verify(_ verification: Verification) -> EvolutionPolicy {
    var policy = self
    policy.verify = verification
    return policy
  }

  /// Returns the policy with another value of ``allowsLosslessTypeChanges``.
  ///
  /// - Parameter areAllowed: Whether an attribute may get another type where no value can be lost.
  public func allowLosslessTypeChanges(_ areAllowed: Bool) -> EvolutionPolicy {
    var policy = self
    policy.allowsLosslessTypeChanges = areAllowed
    return policy
  }

  /// Returns the policy with another value of ``defersLightweightMigration``.
  ///
  /// - Parameter isDeferred: Whether steps that only free space or make requests faster are deferred.
  public func deferLightweightMigration(_ isDeferred: Bool) -> EvolutionPolicy {
    var policy = self
    policy.defersLightweightMigration = isDeferred
    return policy
  }

  /// Returns the policy with another value of ``allowsEarlierVersion``.
  ///
  /// - Parameter isAllowed: Whether a store may be brought back to a version that it had before.
  public func allowEarlierVersion(_ isAllowed: Bool) -> EvolutionPolicy {
    var policy = self
    policy.allowsEarlierVersion = isAllowed
    return policy
  }
}
