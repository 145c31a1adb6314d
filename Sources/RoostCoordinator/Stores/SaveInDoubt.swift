// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostModel

/// A save over several stores whose outcome is unknown: an attached store holds a part of it, and the store that
/// decides cannot be asked or no longer knows.
///
/// ```swift
/// for save in try coordinator.inDoubt() {
///   print("\(save.stores) wait for \(save.deciderName) since \(save.since): \(save.objectIDs.count) objects")
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

  init(id: UUID, decider: String, deciderName: String, since: Date) {
    (self.id, self.decider, self.deciderName, self.since) = (id, decider, deciderName, since)
  }

  mutating func add(_ store: AttachedStore, _ keys: [Int64]) {
    stores.append(store.identity.identifier)
    objectIDs += keys.compactMap { store.objectID(forKey: $0) }
  }
}
