// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// What a context needs of an undo manager: the API of Foundation's `UndoManager`, which is not on every platform.
///
/// ``ChangeUndoManager`` conforms everywhere, and Foundation's own class where there is one.
///
/// ```swift
/// context.undoManager = ChangeUndoManager()
/// ada.name = "Countess"
/// context.undo()
/// ```
public protocol UndoManaging: AnyObject {
  /// Posted by the manager before it opens or closes a group, undoes or redoes: a context registers the
  /// changes that it has collected now.
  static var checkpointNotification: Notification.Name { get }

  /// Whether what is registered is kept.
  var isUndoRegistrationEnabled: Bool { get }
  /// Keeps what is registered from now on; each call balances one of ``disableUndoRegistration()``.
  func enableUndoRegistration()
  /// Drops what is registered from now on.
  func disableUndoRegistration()

  /// How many groups are open inside one another.
  var groupingLevel: Int { get }
  /// Whether what is registered outside of a group makes one of its own, which is closed when the event ends.
  var groupsByEvent: Bool { get set }
  /// Opens a group: what is registered until it is closed is undone together.
  func beginUndoGrouping()
  /// Closes the group that was opened last.
  func endUndoGrouping()
  /// How many groups are kept; 0 for all.
  var levelsOfUndo: Int { get set }

  /// Whether there is something to be undone.
  var canUndo: Bool { get }
  /// Whether there is something to be redone.
  var canRedo: Bool { get }
  /// Whether an undo is going on.
  var isUndoing: Bool { get }
  /// Whether a redo is going on.
  var isRedoing: Bool { get }
  /// Takes back the last group.
  func undo()
  /// Does again what was undone last.
  func redo()
  /// Takes back the last group that is inside the open one, or the last one.
  func undoNestedGroup()

  /// Forgets everything.
  func removeAllActions()
  /// Forgets what was registered for an object.
  func removeAllActions(withTarget target: Any)

  /// Names the action that is being registered, as for a menu.
  func setActionName(_ actionName: String)
  /// The name of what would be undone; empty without one.
  var undoActionName: String { get }
  /// The name of what would be redone; empty without one.
  var redoActionName: String { get }

  /// Registers how a context takes back an event; the context is not kept alive by it.
  func registerUndo(
    of context: ManagedObjectContext, _ action: @escaping (ManagedObjectContext) -> Void)
  /// Ends the event whose group was opened by a registration.
  func closeEventGroup()
}

#if canImport(ObjectiveC)
// Foundation's own manager is for the main actor, and so is a context that uses it; the run loop ends its events.
extension UndoManager: @preconcurrency UndoManaging {
  /// Foundation's notification.
  public static var checkpointNotification: Notification.Name { .NSUndoManagerCheckpoint }

  /// Registers how a context takes back an event.
  public func registerUndo(
    of context: ManagedObjectContext, _ action: @escaping (ManagedObjectContext) -> Void
  ) {
    // It comes back on the actor that it was handed over on.
    nonisolated(unsafe) let action = action
    registerUndo(withTarget: context) { action($0) }
  }

  /// Does nothing: the run loop ends the event.
  public func closeEventGroup() {}
}
#endif
