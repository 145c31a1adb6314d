// SPDX-License-Identifier: Apache-2.0

public import Foundation
import RoostModel
import RoostStore

extension Notification.Name {
  /// A store was written, by this process or another one. Its object is the coordinator.
  ///
  /// It is posted for stores that were added with ``StoreOption/remoteChangeNotification``, on a thread of the
  /// coordinator's. Writes of the coordinator itself, saves and batch requests, are announced at once; those of
  /// others soon after the file system or the server reports them, and otherwise when the store is polled, every one
  /// to ten seconds. One notification may stand for several writes of others, and some may turn out to concern
  /// nothing new: treat it as a signal to read the history, not as a description of the changes.
  public static let persistentStoreRemoteChange = Notification.Name(
    "RoostPersistentStoreRemoteChange")
}

extension PersistentStoreCoordinator {
  /// In `Notification/Name/persistentStoreRemoteChange`: the UUID of the store, a `String`.
  public static let storeUUIDKey = "NSStoreUUID"
  /// In `Notification/Name/persistentStoreRemoteChange`: the `URL` of the store; absent for a store without one.
  public static let persistentStoreURLKey = "storeURL"
  /// In `Notification/Name/persistentStoreRemoteChange`: the token of the store's history; absent for a store that
  /// keeps none.
  public static let persistentHistoryTokenKey = "historyToken"

  /// A store was written, by this process or another one: see ``remoteChangeMessages()``.
  ///
  /// ```swift
  /// for await change in coordinator.remoteChangeMessages() {
  ///   print(change.storeURL?.lastPathComponent ?? change.storeUUID)
  /// }
  /// ```
  public struct RemoteChangeMessage: Sendable, Hashable {
    /// The UUID of the store.
    public let storeUUID: String
    /// The URL of the store; nil for a store without one.
    public let storeURL: URL?
    /// The token of the store's history at about the time of the message, including the write that it announces; nil
    /// for a store that keeps no history, or cannot be reached.
    public let historyToken: PersistentHistoryToken?

    /// - Parameter position: The position, where it is known.
    init(_ store: AttachedStore, at position: StorePosition?) {
      storeUUID = store.identity.identifier
      storeURL = store.url
      let position = position ?? (try? store.historyPosition())
      historyToken = position.map {
        PersistentHistoryToken(stores: [store.identity.identifier: $0])
      }
    }

    var userInfo: [AnyHashable: Any] {
      var userInfo: [AnyHashable: Any] = [storeUUIDKey: storeUUID]
      if let storeURL { userInfo[persistentStoreURLKey] = storeURL }
      if let historyToken { userInfo[persistentHistoryTokenKey] = historyToken }
      return userInfo
    }
  }

  /// Returns the writes of the coordinator's stores from now on, as values that can be awaited in any task.
  ///
  /// They come for the stores that were added with ``StoreOption/remoteChangeNotification``, as
  /// `Notification/Name/persistentStoreRemoteChange` does. The sequence ends with the coordinator. A reader that is
  /// slower than the writes finds one message for each store, the newest, whose token includes all earlier writes:
  /// there is room for no more messages than stores.
  ///
  /// ```swift
  /// for await change in coordinator.remoteChangeMessages() { print(change.storeUUID) }
  /// ```
  /// - Returns: The messages, those of a store in the order in which they are sent.
  @_disfavoredOverload
  public func remoteChangeMessages() -> AsyncStream<RemoteChangeMessage> {
    remoteChanges.messages()
  }
}
