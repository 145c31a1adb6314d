// SPDX-License-Identifier: Apache-2.0

public import Foundation
public import RoostModel

/// A save over several stores of which a store holds a part, and nobody who can be asked knows how it ended.
///
/// ```swift
/// for save in try coordinator.inDoubt() {
///   print("\(save.stores) wait for \(save.deciderName) since \(save.since): \(save.objectIDs.count) objects")
/// }
/// ```
public struct SaveInDoubt: Sendable, Hashable, Identifiable {
  /// Which save it is: the number that the transactions of its history have, too.
  public let id: UUID
  /// The UUIDs of the attached stores that hold a part of it.
  public private(set) var stores: [String] = []
  /// The UUID of the store that decides.
  public let decider: String
  /// Where that store is: the last part of its place.
  public let deciderName: String
  /// When the save began.
  public let since: Date
  /// The records that the parts write, lock or link: changes of them wait.
  public private(set) var objectIDs: [ObjectID] = []

  init(id: UUID, decider: String, deciderName: String, since: Date) {
    (self.id, self.decider, self.deciderName, self.since) = (id, decider, deciderName, since)
  }

  mutating func add(_ store: AttachedStore, _ keys: [Int64]) {
    stores.append(store.identity.identifier)
    objectIDs += keys.compactMap { store.objectID(forKey: $0) }
  }
}
