// SPDX-License-Identifier: Apache-2.0

package import RoostModel

extension EvolutionPolicy {
  /// How many versions of the model a store serves.
  ///
  /// ```swift
  /// description.evolution.versions = .expand
  /// ```
  public enum Versions: Sendable, Hashable {
    /// One: a store of another version is migrated at once, and programs of the old version cannot use it any more.
    case one
    /// Two, for as long as programs of the old version are there. Only stores on PostgreSQL can; others refuse the
    /// description with `invalidValue`.
    case expand
    /// One again: what only the old version needed goes, once no program of it has the store open.
    case contract
    /// One again, the old one: what an expansion has added goes, and programs of the new version cannot use the store.
    case abandon
  }

  /// Serves two versions: a store of another version is expanded so that programs of that version and programs of this
  /// model use it side by side. A store that is expanded already, or of this version, is just opened.
  ///
  /// What cannot be expanded is refused with `migration` before anything is written. An expansion that was interrupted
  /// goes on at the next opening with this policy.
  ///
  /// ```swift
  /// description.evolution = .expand
  /// ```
  public static let expand: EvolutionPolicy = {
    var policy = EvolutionPolicy()
    policy.versions = .expand
    return policy
  }()

  /// Ends the old version of an expanded store. While a program of it has the store open, the opening is refused with
  /// `storeBusy`, whose message lists who is left and since when; try again later. A store that is of this version
  /// alone is just opened.
  ///
  /// ```swift
  /// description.evolution = .contract
  /// ```
  public static let contract: EvolutionPolicy = {
    var policy = EvolutionPolicy()
    policy.versions = .contract
    return policy
  }()

  /// Withdraws the new version of an expanded store, by a program of the old one: the new version's columns, tables and
  /// names go, and the old version goes on. What only the new version has written is lost, which
  /// ``allowLoss(_:)`` can forbid.
  ///
  /// While a program of the new version has the store open, the opening is refused with `storeBusy`, whose message
  /// lists who it is. A store that is of the old version alone is just opened.
  ///
  /// ```swift
  /// description.evolution = .abandon
  /// ```
  public static let abandon: EvolutionPolicy = {
    var policy = EvolutionPolicy()
    policy.versions = .abandon
    return policy
  }()

  /// Returns the policy with another share of the time in which an expansion writes old records.
  ///
  /// ```swift
  /// description.evolution = .expand.throttle(0.2)
  /// ```
  /// - Parameter share: More than 0 and at most 1; nil for no pauses. Another number, or a policy that does not expand,
  ///   is refused with `invalidValue` when the store is opened.
  public func throttle(_ share: Double?) -> EvolutionPolicy {
    var policy = self
    policy.throttle = share
    return policy
  }

  /// Refuses a throttle that is no share, or that concerns nothing.
  ///
  /// - Throws: `invalidValue`.
  package func checkThrottle() throws(PersistenceError) {
    guard let throttle else { return }
    guard throttle > 0, throttle <= 1 else {
      throw PersistenceError(
        .invalidValue,
        "The throttle of an expansion is a share of the time, more than 0 and at most 1.",
        key: "evolution")
    }
    guard versions == .expand else {
      throw PersistenceError(
        .invalidValue,
        "Only an expansion can be throttled (.expand): any other migration is one transaction, which "
          + "would keep its locks for longer.", key: "evolution")
    }
  }

  /// How many seconds an expansion pauses after a batch.
  ///
  /// - Parameter seconds: How long the batch took.
  package func pause(after seconds: Double) -> Double {
    guard let throttle, throttle > 0, throttle < 1 else { return 0 }
    return seconds * (1 / throttle - 1)
  }

  /// Returns the policy with another answer to whether one of two versions is ended under programs that use it.
  ///
  /// - Parameter areIgnored: Whether they are left to fail with `persistentStoreIncompatibleVersionHash`.
  public func ignoreOpenSessions(_ areIgnored: Bool) -> EvolutionPolicy {
    var policy = self
    policy.ignoresOpenSessions = areIgnored
    return policy
  }
}
