// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// A notification of contexts that is posted only once its name was read: without the name there can be no observer.
/// The notification centre does not tell whether there are observers, and a save of 100,000 objects must not create
/// sets without need.
final class ContextNotification: Sendable {
  private let name: Notification.Name
  private let wasAskedFor = Atomic<Bool>(false)

  private init(_ name: String) {
    self.name = Notification.Name(name)
  }

  static let objectsDidChange = ContextNotification("RoostManagedObjectContextObjectsDidChange")
  static let willSave = ContextNotification("RoostManagedObjectContextWillSave")
  static let didSave = ContextNotification("RoostManagedObjectContextDidSave")
  static let didSaveObjectIDs = ContextNotification("RoostManagedObjectContextDidSaveObjectIDs")
  static let didMergeChangesObjectIDs = ContextNotification(
    "RoostManagedObjectContextDidMergeChangesObjectIDs")

  /// Returns the name; from now on the notification is posted.
  func askForName() -> Notification.Name {
    wasAskedFor.store(true, ordering: .relaxed)
    return name
  }

  /// Whether the name was read.
  var isWanted: Bool { wasAskedFor.load(ordering: .relaxed) }

  /// Posts the notification, if there can be observers.
  func post(by context: ManagedObjectContext, _ userInfo: () -> [AnyHashable: Any]?) {
    guard isWanted else { return }
    NotificationCenter.default.post(name: name, object: context, userInfo: userInfo())
  }
}
