// SPDX-License-Identifier: Apache-2.0

public import Foundation

// Notifications posted by a manager, with itself as the object.
extension ChangeUndoManager {
  /// A group is about to be opened or closed, or undone or redone.
  public static let checkpointNotification = Notification.Name("RoostUndoManagerCheckpoint")
  /// A group was opened.
  public static let didOpenUndoGroupNotification = Notification.Name(
    "RoostUndoManagerDidOpenUndoGroup")
  /// A group is about to be closed.
  public static let willCloseUndoGroupNotification = Notification.Name(
    "RoostUndoManagerWillCloseUndoGroup")
  /// A group was closed.
  public static let didCloseUndoGroupNotification = Notification.Name(
    "RoostUndoManagerDidCloseUndoGroup")
  /// A group is about to be undone.
  public static let willUndoChangeNotification = Notification.Name(
    "RoostUndoManagerWillUndoChange")
  /// A group was undone.
  public static let didUndoChangeNotification = Notification.Name("RoostUndoManagerDidUndoChange")
  /// A group is about to be redone.
  public static let willRedoChangeNotification = Notification.Name(
    "RoostUndoManagerWillRedoChange")
  /// A group was redone.
  public static let didRedoChangeNotification = Notification.Name("RoostUndoManagerDidRedoChange")
}
