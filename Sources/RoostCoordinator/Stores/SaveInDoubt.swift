// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostModel

/// A save over several stores that cannot be finished: an attached store holds a part of it, and the store that
/// decides cannot be asked or no longer knows, or the part cannot be written.
///
/// ```swift
/// for save in try coordinator.inDoubt() {
///   print("\(save.stores) wait for \(save.deciderName) since \(save.since): \(save.objectIDs.count) objects")
///   for failure in save.failures { print("cannot be written: \(failure)") }
/// }
/// ```
public struct SaveInDoubt: Sendable, Hashable, Identifiable {
  /// The number of the save, which its transactions in the history also carry.
  public let id: UUID
  /// The UUIDs of the attached stores that hold a part of it.
  public private(set) var stores: [String] = []
  /// The UUID of the store that decides.
  public let decider: String
  /// The name of that store: the last part of its URL.
  public let deciderName: String
  /// When the save began.
  public let since: Date
  /// The records that the parts write, lock or link: other changes to them wait.
  public private(set) var objectIDs: [ObjectID] = []
  /// The errors of stores that could not finish their parts although the outcome is known; empty where it is unknown.
  /// Each names its store. A part with the code `corruptStore` can never be written; others are retried.
  public private(set) var failures: [PersistenceError] = []

  init(id: UUID, decider: String, deciderName: String, since: Date) {
    (self.id, self.decider, self.deciderName, self.since) = (id, decider, deciderName, since)
  }

  mutating func add(_ store: AttachedStore, _ keys: [Int64], _ failure: PersistenceError?) {
    stores.append(store.identity.identifier)
    objectIDs += keys.compactMap { store.objectID(forKey: $0) }
    if var failure {
      failure.store = failure.store ?? store.displayName
      failures.append(failure)
    }
  }

  /// Hashes the number of the save.
  public func hash(into hasher: inout Hasher) { hasher.combine(id) }
}
