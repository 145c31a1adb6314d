// SPDX-License-Identifier: Apache-2.0

public import RoostCoordinator
import RoostModel

extension PersistentStoreCoordinator {
  /// What becomes of saves that concern several stores: `.atomic` unless it is set. It counts for
  /// saves that begin after it was set.
  ///
  /// ```swift
  /// container.persistentStoreCoordinator.crossStoreSaves = .atomicWherePossible
  /// ```
  public var crossStoreSaves: CrossStoreSaves {
    get { saveTraffic.policy }
    set { saveTraffic.policy = newValue }
  }

  /// What a read of several stores sees of saves over several stores that other coordinators and processes make:
  /// `.eachStore` unless it is set. It counts for fetches that ask several stores or follow relationships into others,
  /// and for query generations.
  ///
  /// With `.wholeSaves` such a save is in all stores or in none, as one of this coordinator always is. A store that
  /// cannot tell whether it was written refuses such reads with `persistentStoreUnsupportedRequestType`. Reads of one
  /// store are never concerned. A query generation shows a store that cannot keep a moment as it is.
  ///
  /// ```swift
  /// container.persistentStoreCoordinator.readsAcrossStores = .wholeSaves
  /// let accounts = try context.fetch(Account.all)  // of books and cash, as of one moment
  /// ```
  public var readsAcrossStores: ReadsAcrossStores {
    get { saveTraffic.reads }
    set { saveTraffic.reads = newValue }
  }

  /// Returns the saves of which attached stores hold a part that cannot be finished now, the oldest first.
  ///
  /// What can be finished is finished first. So what is left waits for a store that is not attached or cannot be
  /// reached, or for one that has forgotten how the save ended because a store was put back from a copy.
  ///
  /// ```swift
  /// for save in try coordinator.inDoubt() { print("waits for \(save.deciderName) since \(save.since)") }
  /// ```
  /// - Throws: What a store throws.
  /// - Complexity: One round trip a store.
  public func inDoubt() throws -> [SaveInDoubt] {
    try SavesInDoubt(of: self).list()
  }

  /// Says by hand how a save ended: only where the store that decides about it is gone for good.
  ///
  /// It counts for the parts of it in the stores that are attached, and is told to the log. Where other stores have
  /// parts, say the same with these attached. To say what is not so tears the save: some stores have it and others
  /// have not.
  ///
  /// ```swift
  /// for save in try coordinator.inDoubt() where save.decider == lost {
  ///   try coordinator.resolve(save, as: .rolledBack)
  /// }
  /// ```
  /// - Parameters:
  ///   - save: What ``inDoubt()`` has returned.
  ///   - ending: How it ended.
  /// - Throws: `PersistenceError` with code `invalidRequest` when no attached store waits for it, or when the store
  ///   that decides is attached and knows; what a store throws.
  /// - Complexity: One transaction a store.
  public func resolve(_ save: SaveInDoubt, as ending: SaveEnding) throws {
    try SavesInDoubt(of: self).end(save, committing: ending == .committed)
  }
}

/// How a save over several stores ended, as it is said by hand.
///
/// ```swift
/// try coordinator.resolve(save, as: .committed)
/// ```
public enum SaveEnding: Sendable, Hashable {
  /// The store that decided has its part.
  case committed
  /// The store that decided does not have its part.
  case rolledBack
}
