// SPDX-License-Identifier: Apache-2.0

public import Foundation

/// The requirements of a context's undo manager: the API of Foundation's `UndoManager`, which not every platform has.
///
/// ``ChangeUndoManager`` conforms on every platform, Foundation's own class where it exists.
///
/// ```swift
/// context.undoManager = ChangeUndoManager()
/// ada.name = "Countess"
/// context.undo()
/// ```
public protocol UndoManaging: AnyObject {
  /// Posted by the manager before it opens or closes a group, undoes or redoes: a context then registers the changes
  /// collected so far.
  static var checkpointNotification: Notification.Name { get }

  /// Whether registrations are recorded.
  var isUndoRegistrationEnabled: Bool { get }
  /// Resumes recording registrations; each call balances one of ``disableUndoRegistration()``.
  func enableUndoRegistration()
  /// Stops recording registrations.
  func disableUndoRegistration()

  /// The number of nested open groups.
  var groupingLevel: Int { get }
  /// Whether a registration outside of a group opens a group, which is closed when the event ends.
  var groupsByEvent: Bool { get set }
  /// Opens a group: all registrations until it is closed are undone together.
  func beginUndoGrouping()
  /// Closes the innermost group.
  func endUndoGrouping()
  /// The maximum number of groups kept; 0 for no limit.
  var levelsOfUndo: Int { get set }

  /// Whether there is a group to undo.
  var canUndo: Bool { get }
  /// Whether there is a group to redo.
  var canRedo: Bool { get }
  /// Whether an undo is running.
  var isUndoing: Bool { get }
  /// Whether a redo is running.
  var isRedoing: Bool { get }
  /// Undoes the last group.
  func undo()
  /// Redoes the last undone group.
  func redo()
  /// Undoes the last group nested in the open one, or the last group.
  func undoNestedGroup()

  /// Removes all registrations.
  func removeAllActions()
  /// Removes the registrations for an object.
  func removeAllActions(withTarget target: Any)

  /// Sets the name of the action being registered, for example for a menu.
  func setActionName(_ actionName: String)
  /// The name of the next action to undo; empty without one.
  var undoActionName: String { get }
  /// The name of the next action to redo; empty without one.
  var redoActionName: String { get }

  /// Registers an action that undoes an event of a context; the registration does not retain the context.
  func registerUndo(
    of context: ManagedObjectContext, _ action: @escaping (ManagedObjectContext) -> Void)
  /// Ends the event whose group was opened by a registration.
  func closeEventGroup()
}

#if canImport(ObjectiveC)
// Foundation's class is isolated to the main actor, and so is a context that uses it; the run loop ends its events.
extension UndoManager: @preconcurrency UndoManaging {
  /// Foundation's notification.
  public static var checkpointNotification: Notification.Name { .NSUndoManagerCheckpoint }

  /// Registers an action that undoes an event of a context.
  public func registerUndo(
    of context: ManagedObjectContext, _ action: @escaping (ManagedObjectContext) -> Void
  ) {
    // The action runs on the actor on which it was registered.
    nonisolated(unsafe) let action = action
    registerUndo(withTarget: context) { action($0) }
  }

  /// Does nothing: the run loop ends the event.
  public func closeEventGroup() {}
}
#endif
