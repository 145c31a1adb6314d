// SPDX-License-Identifier: Apache-2.0

public import RoostCoordinator
import RoostModel

extension PersistentStoreCoordinator {
  /// The policy for saves to several stores; `.atomic` by default. It applies to saves that begin after it was set.
  ///
  /// ```swift
  /// container.persistentStoreCoordinator.crossStoreSaves = .atomicWherePossible
  /// ```
  public var crossStoreSaves: CrossStoreSaves {
    get { saveTraffic.policy }
    set { saveTraffic.policy = newValue }
  }

  /// The visibility of other coordinators' and processes' saves over several stores in reads of several stores;
  /// `.eachStore` by default. It applies to fetches that ask several stores or follow relationships into others, and
  /// to query generations.
  ///
  /// With `.wholeSaves` such a save is visible in all stores or in none, as is always the case for saves of this
  /// coordinator. A store without change detection refuses such reads with `persistentStoreUnsupportedRequestType`.
  /// Reads of one store are not affected. In a query generation, a store without snapshots is read in its current
  /// state.
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
  /// Parts that can be finished are finished first. The remaining ones wait for a store that is not attached or
  /// cannot be reached, or for one that no longer knows the outcome because it was restored from a backup; or their
  /// store cannot write them, for the reason in ``SaveInDoubt/failures``.
  ///
  /// ```swift
  /// for save in try coordinator.inDoubt() { print("waits for \(save.deciderName) since \(save.since)") }
  /// ```
  /// - Throws: The error of a store.
  /// - Complexity: One round trip for each store.
  public func inDoubt() throws -> [SaveInDoubt] {
    try SavesInDoubt(of: self).list()
  }

  /// Sets the outcome of a save by hand: only for saves whose deciding store is lost permanently, and for parts that
  /// are damaged.
  ///
  /// It applies to the parts of the save in the attached stores, is logged, and is recorded in the metadata of each of
  /// them (``StoreMetadata/savesEndedByHand``). If other stores have parts, call it again with these attached. A wrong
  /// outcome tears the save: some stores have it and others do not.
  ///
  /// A part of a committed save that its store cannot write because it is damaged (`corruptStore` in
  /// ``SaveInDoubt/failures``) is given up with `.rolledBack`: that store lacks the save from then on, and can be used
  /// again. The parts in other stores are not affected.
  ///
  /// ```swift
  /// for save in try coordinator.inDoubt() where save.decider == lost {
  ///   try coordinator.resolve(save, as: .rolledBack)
  /// }
  /// ```
  /// - Parameters:
  ///   - save: A save that ``inDoubt()`` has returned.
  ///   - ending: The outcome.
  /// - Throws: `PersistenceError` with code `invalidRequest` when no attached store waits for it, or when the outcome
  ///   is known and the part is not damaged; the error of a store.
  /// - Complexity: Two transactions for each store.
  public func resolve(_ save: SaveInDoubt, as ending: SaveEnding) throws {
    try SavesInDoubt(of: self).end(save, committing: ending == .committed)
  }
}

/// The outcome of a save over several stores, when it is set by hand.
///
/// ```swift
/// try coordinator.resolve(save, as: .committed)
/// ```
public enum SaveEnding: Sendable, Hashable {
  /// The store that decides has committed its part.
  case committed
  /// The store that decides has not committed its part.
  case rolledBack
}
