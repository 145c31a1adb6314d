// SPDX-License-Identifier: Apache-2.0

import Foundation

/// Keeps how to take back what was done, in groups: Foundation's `UndoManager` for every platform.
///
/// There is no run loop that ends events here. With ``groupsByEvent``, a registration outside of a group opens one, and
/// the context that registered its event closes it; so does ``undo()``.
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
  /// The groups that are open, the outermost first.
  var openGroups: [UndoGroup] = []
  /// Whether the outermost open group was opened by a registration.
  private var isEventGroupOpen = false
  private var disablings = 0

  /// Whether what is registered outside of a group makes one of its own, which is closed when the event ends. Without
  /// it such a registration is a group by itself.
  open var groupsByEvent = true
  /// How many groups are kept; 0 for all.
  open var levelsOfUndo = 0 {
    didSet { forgetOldGroups() }
  }
  /// Whether an undo is going on: what is registered now is how to redo.
  public internal(set) var isUndoing = false
  /// Whether a redo is going on.
  public internal(set) var isRedoing = false

  /// Makes a manager that keeps nothing yet.
  public init() {}

  // MARK: - Registering

  /// Whether what is registered is kept.
  open var isUndoRegistrationEnabled: Bool { disablings == 0 }

  /// Keeps what is registered from now on; each call balances one of ``disableUndoRegistration()``.
  open func enableUndoRegistration() {
    precondition(disablings > 0, "enableUndoRegistration balances disableUndoRegistration.")
    disablings -= 1
  }

  /// Drops what is registered from now on.
  open func disableUndoRegistration() {
    disablings += 1
  }

  /// Registers how to take back what an object does now.
  ///
  /// - Parameters:
  ///   - target: The object; it is not kept alive, and nothing happens once it is gone.
  ///   - handler: What takes it back; what it registers is how to redo.
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

  /// Registers how a context takes back an event; the context is not kept alive by it.
  open func registerUndo(
    of context: ManagedObjectContext, _ action: @escaping (ManagedObjectContext) -> Void
  ) {
    registerUndo(withTarget: context, handler: action)
  }

  // MARK: - Grouping

  /// How many groups are open inside one another.
  open var groupingLevel: Int { openGroups.count }

  /// Opens a group: what is registered until it is closed is undone together.
  open func beginUndoGrouping() {
    post(ChangeUndoManager.checkpointNotification)
    openGroup()
  }

  /// Closes the group that was opened last; an empty one leaves nothing behind.
  open func endUndoGrouping() {
    post(ChangeUndoManager.checkpointNotification)
    precondition(!openGroups.isEmpty, "endUndoGrouping balances beginUndoGrouping.")
    closeGroup()
  }

  /// Closes the group that a registration opened by itself: the event is over.
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

  /// Forgets everything; groups that are open stay open.
  open func removeAllActions() {
    undoStack = []
    redoStack = []
    for group in openGroups { group.items = [] }
  }

  /// Forgets what was registered for an object.
  open func removeAllActions(withTarget target: Any) {
    removeActions(of: ObjectIdentifier(target as AnyObject))
  }

  /// Forgets what was registered for an object that may be going away at this moment.
  func removeActions(of target: ObjectIdentifier) {
    for group in undoStack + redoStack + openGroups { group.removeActions(of: target) }
    undoStack.removeAll { $0.items.isEmpty }
    redoStack.removeAll { $0.items.isEmpty }
  }
}
