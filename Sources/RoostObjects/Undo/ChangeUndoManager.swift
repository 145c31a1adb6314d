// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Records undo actions in groups: Foundation's `UndoManager` for every platform.
///
/// There is no run loop to end events. With ``groupsByEvent``, a registration outside of a group opens one, and the
/// context that registered its event closes it; so does ``undo()``.
///
/// ```swift
/// let manager = ChangeUndoManager()
/// context.undoManager = manager
/// manager.beginUndoGrouping()
/// ada.name = "Countess"
/// bob.name = "Charles"
/// manager.setActionName("Rename")
/// manager.endUndoGrouping()
/// manager.undo()
/// ```
nonisolated open class ChangeUndoManager: UndoManaging {
  var undoStack: [UndoGroup] = []
  var redoStack: [UndoGroup] = []
  /// The open groups, the outermost first.
  var openGroups: [UndoGroup] = []
  /// Whether the outermost open group was opened by a registration.
  private var isEventGroupOpen = false
  private var disablings = 0
  /// The actions of the running undo or redo that have failed, the last event's first.
  var failed: [UndoAction] = []

  /// Whether a registration outside of a group opens a group, which is closed when the event ends. If false, such a
  /// registration is a group by itself.
  open var groupsByEvent = true
  /// The maximum number of groups kept; 0 for no limit.
  open var levelsOfUndo = 0 {
    didSet { forgetOldGroups() }
  }
  /// Whether an undo is running: registrations are for redo then.
  public internal(set) var isUndoing = false
  /// Whether a redo is running.
  public internal(set) var isRedoing = false

  /// Creates a manager without groups.
  public init() {}

  // MARK: - Registering

  /// Whether registrations are recorded.
  open var isUndoRegistrationEnabled: Bool { disablings == 0 }

  /// Resumes recording registrations; each call balances one of ``disableUndoRegistration()``.
  open func enableUndoRegistration() {
    precondition(disablings > 0, "enableUndoRegistration balances disableUndoRegistration.")
    disablings -= 1
  }

  /// Stops recording registrations.
  open func disableUndoRegistration() {
    disablings += 1
  }

  /// Keeps an action that has failed for another attempt, on the stack that it came from.
  func keepFailed(
    of context: ManagedObjectContext, _ action: @escaping (ManagedObjectContext) -> Void
  ) {
    failed.append(
      UndoAction(target: ObjectIdentifier(context)) { [weak context] in
        if let context { action(context) }
      })
  }

  /// Registers the undo of an object's change.
  ///
  /// - Parameters:
  ///   - target: The object; it is not retained, and nothing happens once it is gone.
  ///   - handler: Undoes the change; its own registrations are for redo.
  open func registerUndo<Target: AnyObject>(
    withTarget target: Target, handler: @escaping (Target) -> Void
  ) {
    guard isUndoRegistrationEnabled else { return }
    let isAlone = openGroups.isEmpty
    if isAlone {
      openGroup()
      isEventGroupOpen = true
    }
    let action = UndoAction(target: ObjectIdentifier(target)) { [weak target] in
      if let target { handler(target) }
    }
    openGroups.last?.items.append(.action(action))
    if !isUndoing, !isRedoing { redoStack = [] }
    if isAlone, !groupsByEvent { closeEventGroup() }
  }

  /// Registers an action that undoes an event of a context; the registration does not retain the context.
  open func registerUndo(
    of context: ManagedObjectContext, _ action: @escaping (ManagedObjectContext) -> Void
  ) {
    registerUndo(withTarget: context, handler: action)
  }

  // MARK: - Grouping

  /// The number of nested open groups.
  open var groupingLevel: Int { openGroups.count }

  /// Opens a group: all registrations until it is closed are undone together.
  open func beginUndoGrouping() {
    post(ChangeUndoManager.checkpointNotification)
    openGroup()
  }

  /// Closes the innermost group; an empty one is dropped.
  open func endUndoGrouping() {
    post(ChangeUndoManager.checkpointNotification)
    precondition(!openGroups.isEmpty, "endUndoGrouping balances beginUndoGrouping.")
    closeGroup()
  }

  /// Closes the group opened by a registration: the event has ended.
  open func closeEventGroup() {
    if isEventGroupOpen, openGroups.count == 1 { closeGroup() }
  }

  func openGroup() {
    openGroups.append(UndoGroup())
    post(ChangeUndoManager.didOpenUndoGroupNotification)
  }

  func closeGroup() {
    post(ChangeUndoManager.willCloseUndoGroupNotification)
    guard let group = openGroups.popLast() else { return }
    if openGroups.isEmpty { isEventGroupOpen = false }
    if !group.items.isEmpty {
      if let outer = openGroups.last {
        outer.items.append(.group(group))
      } else if isUndoing {
        redoStack.append(group)
      } else {
        undoStack.append(group)
        forgetOldGroups()
      }
    }
    post(ChangeUndoManager.didCloseUndoGroupNotification)
  }

  private func forgetOldGroups() {
    guard levelsOfUndo > 0 else { return }
    if undoStack.count > levelsOfUndo { undoStack.removeFirst(undoStack.count - levelsOfUndo) }
    if redoStack.count > levelsOfUndo { redoStack.removeFirst(redoStack.count - levelsOfUndo) }
  }

  // MARK: - Forgetting

  /// Removes all registrations; open groups stay open.
  open func removeAllActions() {
    undoStack = []
    redoStack = []
    for group in openGroups { group.items = [] }
  }

  /// Removes the registrations for an object.
  open func removeAllActions(withTarget target: Any) {
    removeActions(of: ObjectIdentifier(target as AnyObject))
  }

  /// Removes the registrations for an object that may be being deallocated.
  func removeActions(of target: ObjectIdentifier) {
    for group in undoStack + redoStack + openGroups { group.removeActions(of: target) }
    undoStack.removeAll { $0.items.isEmpty }
    redoStack.removeAll { $0.items.isEmpty }
  }
}
