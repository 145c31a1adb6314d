// SPDX-License-Identifier: Apache-2.0

import Foundation

extension ChangeUndoManager {
  /// Whether there is something to be undone.
  public var canUndo: Bool { !undoStack.isEmpty || openGroups.contains { !$0.items.isEmpty } }

  /// Whether there is something to be redone. Changes that are not registered yet are, because they end what could be.
  public var canRedo: Bool {
    if !isUndoing, !isRedoing { post(ChangeUndoManager.checkpointNotification) }
    return !redoStack.isEmpty
  }

  /// How many groups can be undone.
  public var undoCount: Int { undoStack.count }

  /// How many groups can be redone.
  public var redoCount: Int { redoStack.count }

  /// Takes back the last group; closes the open one first, when it is the only one.
  public func undo() {
    guard !isUndoing, !isRedoing else { return }
    post(ChangeUndoManager.checkpointNotification)
    if openGroups.count == 1 { closeGroup() }
    precondition(openGroups.isEmpty, "undo needs every group but one to be closed.")
    undoNestedGroup()
  }

  /// Takes back the last group that is inside the open one, or the last one.
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
    run(group)
    isUndoing = false
    openGroups = enclosing
    post(ChangeUndoManager.didUndoChangeNotification)
  }

  /// Does again what was undone last; nothing when something else was registered since.
  public func redo() {
    guard !isUndoing, !isRedoing else { return }
    post(ChangeUndoManager.checkpointNotification)
    guard openGroups.isEmpty, let group = redoStack.popLast() else { return }
    post(ChangeUndoManager.willRedoChangeNotification)
    isRedoing = true
    run(group)
    isRedoing = false
    post(ChangeUndoManager.didRedoChangeNotification)
  }

  /// Runs the actions of a group, the last one first; what they register is one group for the way back.
  private func run(_ group: UndoGroup) {
    openGroup()
    openGroups.last?.name = group.name
    openGroups.last?.isDiscardable = group.isDiscardable
    for action in group.actionsBackwards() { action.perform() }
    while !openGroups.isEmpty { closeGroup() }
  }

  func post(_ name: Notification.Name) {
    NotificationCenter.default.post(name: name, object: self)
  }
}

// MARK: - Names

extension ChangeUndoManager {
  private var named: UndoGroup? { openGroups.first ?? undoStack.last }

  /// Names the action that is being registered, or that was registered last.
  public func setActionName(_ actionName: String) {
    named?.name = actionName
  }

  /// Says whether what is being registered may be lost without harm.
  public func setActionIsDiscardable(_ isDiscardable: Bool) {
    named?.isDiscardable = isDiscardable
  }

  /// The name of what would be undone; empty without one.
  public var undoActionName: String { (openGroups.first ?? undoStack.last)?.name ?? "" }

  /// The name of what would be redone; empty without one.
  public var redoActionName: String { redoStack.last?.name ?? "" }

  /// Whether what would be undone may be lost without harm.
  public var undoActionIsDiscardable: Bool { undoStack.last?.isDiscardable ?? false }

  /// Whether what would be redone may be lost without harm.
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
