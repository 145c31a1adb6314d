// SPDX-License-Identifier: Apache-2.0

import Foundation

extension ChangeUndoManager {
  /// Whether there is a group to undo.
  public var canUndo: Bool { !undoStack.isEmpty || openGroups.contains { !$0.items.isEmpty } }

  /// Whether there is a group to redo. Pending changes are registered first, because they clear the redo stack.
  public var canRedo: Bool {
    if !isUndoing, !isRedoing { post(ChangeUndoManager.checkpointNotification) }
    return !redoStack.isEmpty
  }

  /// The number of groups that can be undone.
  public var undoCount: Int { undoStack.count }

  /// The number of groups that can be redone.
  public var redoCount: Int { redoStack.count }

  /// Undoes the last group; closes the open one first, if it is the only one.
  public func undo() {
    guard !isUndoing, !isRedoing else { return }
    post(ChangeUndoManager.checkpointNotification)
    if openGroups.count == 1 { closeGroup() }
    precondition(openGroups.isEmpty, "undo needs every group but one to be closed.")
    undoNestedGroup()
  }

  /// Undoes the last group nested in the open one, or the last group.
  public func undoNestedGroup() {
    guard !isUndoing, !isRedoing else { return }
    post(ChangeUndoManager.checkpointNotification)
    guard let group = openGroups.last.map({ $0.takeLastGroup() }) ?? undoStack.popLast() else {
      return
    }
    let enclosing = openGroups
    openGroups = []
    post(ChangeUndoManager.willUndoChangeNotification)
    isUndoing = true
    let rest = run(group)
    isUndoing = false
    if let rest { undoStack.append(rest) }
    openGroups = enclosing
    post(ChangeUndoManager.didUndoChangeNotification)
  }

  /// Redoes the last undone group; does nothing if another group was registered since.
  public func redo() {
    guard !isUndoing, !isRedoing else { return }
    post(ChangeUndoManager.checkpointNotification)
    guard openGroups.isEmpty, let group = redoStack.popLast() else { return }
    post(ChangeUndoManager.willRedoChangeNotification)
    isRedoing = true
    let rest = run(group)
    isRedoing = false
    if let rest { redoStack.append(rest) }
    post(ChangeUndoManager.didRedoChangeNotification)
  }

  /// Runs the actions of a group, the last one first; their registrations form one group for the reverse. Returns a
  /// group of the actions that have failed; nil when all have succeeded.
  private func run(_ group: UndoGroup) -> UndoGroup? {
    openGroup()
    openGroups.last?.name = group.name
    openGroups.last?.isDiscardable = group.isDiscardable
    for action in group.actionsBackwards() { action.perform() }
    while !openGroups.isEmpty { closeGroup() }
    guard !failed.isEmpty else { return nil }
    let rest = UndoGroup()
    rest.items = failed.reversed().map { .action($0) }
    rest.name = group.name
    rest.isDiscardable = group.isDiscardable
    failed = []
    return rest
  }

  func post(_ name: Notification.Name) {
    NotificationCenter.default.post(name: name, object: self)
  }
}

// MARK: - Names

extension ChangeUndoManager {
  private var named: UndoGroup? { openGroups.first ?? undoStack.last }

  /// Sets the name of the action being registered, or of the one registered last.
  public func setActionName(_ actionName: String) {
    named?.name = actionName
  }

  /// Sets whether the action being registered may be discarded without harm.
  public func setActionIsDiscardable(_ isDiscardable: Bool) {
    named?.isDiscardable = isDiscardable
  }

  /// The name of the next action to undo; empty without one.
  public var undoActionName: String { (openGroups.first ?? undoStack.last)?.name ?? "" }

  /// The name of the next action to redo; empty without one.
  public var redoActionName: String { redoStack.last?.name ?? "" }

  /// Whether the next action to undo may be discarded without harm.
  public var undoActionIsDiscardable: Bool { undoStack.last?.isDiscardable ?? false }

  /// Whether the next action to redo may be discarded without harm.
  public var redoActionIsDiscardable: Bool { redoStack.last?.isDiscardable ?? false }

  /// The title of a menu item, in English.
  public var undoMenuItemTitle: String { undoMenuTitle(forUndoActionName: undoActionName) }

  /// The title of a menu item, in English.
  public var redoMenuItemTitle: String { redoMenuTitle(forUndoActionName: redoActionName) }

  /// Returns the title of a menu item for an action.
  public func undoMenuTitle(forUndoActionName actionName: String) -> String {
    actionName.isEmpty ? "Undo" : "Undo \(actionName)"
  }

  /// Returns the title of a menu item for an action.
  public func redoMenuTitle(forUndoActionName actionName: String) -> String {
    actionName.isEmpty ? "Redo" : "Redo \(actionName)"
  }
}
