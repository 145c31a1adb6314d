// SPDX-License-Identifier: Apache-2.0

import Foundation
import Synchronization

/// A notification of contexts, and whether anybody can be listening: who never asked for its name does not observe it.
/// The notification centre does not say who listens, and a save of 100,000 objects is not to make sets for nobody.
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

  /// Gives the name away: from now on the notification is posted.
  func askForName() -> Notification.Name {
    wasAskedFor.store(true, ordering: .relaxed)
    return name
  }

  /// Whether the name was given away.
  var isWanted: Bool { wasAskedFor.load(ordering: .relaxed) }

  /// Posts the notification, if anybody can be listening.
  func post(by context: ManagedObjectContext, _ userInfo: () -> [AnyHashable: Any]?) {
    guard isWanted else { return }
    NotificationCenter.default.post(name: name, object: context, userInfo: userInfo())
  }
}
