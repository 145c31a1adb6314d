// SPDX-License-Identifier: Apache-2.0

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

  /// Returns the policy with another answer to whether a store is contracted under programs of its old version.
  ///
  /// - Parameter areIgnored: Whether they are left to fail with `persistentStoreIncompatibleVersionHash`.
  public func ignoreOpenSessions(_ areIgnored: Bool) -> EvolutionPolicy {
    var policy = self
    policy.ignoresOpenSessions = areIgnored
    return policy
  }
}
